#![allow(unsafe_code, reason = "a C interface is called")]

use std::rc::Rc;

use ash::vk;

use super::DriverError;
use super::buffer::{Buffer, BufferMemory};
use super::device::Device;
use crate::mesh::Mesh;

/// Bottom-level or top-level acceleration structure built by the driver.
pub(super) struct AccelerationStructure {
    device: Rc<Device>,
    pub(super) structure: vk::AccelerationStructureKHR,
    buffer: Buffer,
}

impl AccelerationStructure {
    /// Builds the bottom level of a mesh, for the fastest traversal.
    pub(super) fn of_mesh(device: &Rc<Device>, mesh: &Mesh) -> Result<Self, DriverError> {
        let input = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR;
        let positions: Vec<[f32; 3]> = mesh.positions.iter().map(|position| position.to_array()).collect();
        let vertices = Buffer::with(device, &positions, input)?;
        let indices = Buffer::with(device, &mesh.triangles, input)?;
        let triangles = vk::AccelerationStructureGeometryTrianglesDataKHR::default()
            .vertex_format(vk::Format::R32G32B32_SFLOAT)
            .vertex_data(vk::DeviceOrHostAddressConstKHR { device_address: vertices.address() })
            .vertex_stride(12)
            .max_vertex(u32::try_from(positions.len().saturating_sub(1)).unwrap_or(u32::MAX))
            .index_type(vk::IndexType::UINT32)
            .index_data(vk::DeviceOrHostAddressConstKHR { device_address: indices.address() });
        let geometry = vk::AccelerationStructureGeometryKHR::default()
            .geometry_type(vk::GeometryTypeKHR::TRIANGLES)
            .geometry(vk::AccelerationStructureGeometryDataKHR { triangles })
            .flags(vk::GeometryFlagsKHR::OPAQUE);
        let count = u32::try_from(mesh.triangles.len()).unwrap_or(u32::MAX);
        Self::build(device, vk::AccelerationStructureTypeKHR::BOTTOM_LEVEL, geometry, count)
    }

    /// Builds a top level of one instance of `bottom`, with the identity transform.
    pub(super) fn of_one(device: &Rc<Device>, bottom: &Self) -> Result<Self, DriverError> {
        let info =
            vk::AccelerationStructureDeviceAddressInfoKHR::default().acceleration_structure(bottom.structure);
        // SAFETY: the structure is alive
        let address = unsafe { device.structures.get_acceleration_structure_device_address(&info) };
        // `VkAccelerationStructureInstanceKHR`: transform, custom index and mask, flags, address of the structure
        let mut instance = [0_u32; 16];
        for row in 0..3 {
            instance[5 * row] = 1.0_f32.to_bits();
        }
        instance[12] = 0xff << 24;
        instance[13] = vk::GeometryInstanceFlagsKHR::TRIANGLE_FACING_CULL_DISABLE.as_raw() << 24;
        [instance[14], instance[15]] = bytemuck::cast(address);
        let input = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR;
        let instances = Buffer::with(device, &instance, input)?;
        let data = vk::DeviceOrHostAddressConstKHR { device_address: instances.address() };
        let geometry = vk::AccelerationStructureGeometryKHR::default()
            .geometry_type(vk::GeometryTypeKHR::INSTANCES)
            .geometry(vk::AccelerationStructureGeometryDataKHR {
                instances: vk::AccelerationStructureGeometryInstancesDataKHR::default().data(data),
            });
        Self::build(device, vk::AccelerationStructureTypeKHR::TOP_LEVEL, geometry, 1)
    }

    fn build(
        device: &Rc<Device>,
        level: vk::AccelerationStructureTypeKHR,
        geometry: vk::AccelerationStructureGeometryKHR<'_>,
        count: u32,
    ) -> Result<Self, DriverError> {
        let geometries = [geometry];
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::default()
            .ty(level)
            .flags(vk::BuildAccelerationStructureFlagsKHR::PREFER_FAST_TRACE)
            .mode(vk::BuildAccelerationStructureModeKHR::BUILD)
            .geometries(&geometries);
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        let Device { structures, limits, .. } = &**device;
        let by = vk::AccelerationStructureBuildTypeKHR::DEVICE;
        // SAFETY: one geometry, one count
        unsafe { structures.get_acceleration_structure_build_sizes(by, &info, &[count], &mut sizes) };
        let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR;
        let buffer = Buffer::new(device, sizes.acceleration_structure_size, usage, BufferMemory::Device)?;
        let storage = vk::AccelerationStructureCreateInfoKHR::default()
            .buffer(buffer.buffer)
            .size(sizes.acceleration_structure_size)
            .ty(level);
        // SAFETY: the buffer has the required size, and lives as long as the structure
        let structure = unsafe { structures.create_acceleration_structure(&storage, None) };
        let made = Self { device: device.clone(), structure: structure.map_err(DriverError::Call)?, buffer };
        let bytes = sizes.build_scratch_size + limits.scratch;
        let scratch = Buffer::new(device, bytes, vk::BufferUsageFlags::STORAGE_BUFFER, BufferMemory::Device)?;
        let address = scratch.address().next_multiple_of(limits.scratch.max(1));
        info = info
            .dst_acceleration_structure(made.structure)
            .scratch_data(vk::DeviceOrHostAddressKHR { device_address: address });
        let ranges = [vk::AccelerationStructureBuildRangeInfoKHR::default().primitive_count(count)];
        // SAFETY: inputs, scratch memory and structure live until `run` returns, which waits for the build
        unsafe {
            device.run(|commands| {
                structures.cmd_build_acceleration_structures(commands, &[info], &[&ranges]);
            })?;
        }
        Ok(made)
    }

    /// Returns the size, bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.buffer.bytes()
    }
}

impl Drop for AccelerationStructure {
    fn drop(&mut self) {
        // SAFETY: `run` waits until its commands are done, so the device does not use the structure any more
        unsafe { self.device.structures.destroy_acceleration_structure(self.structure, None) };
    }
}
