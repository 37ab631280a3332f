#![allow(unsafe_code, reason = "a C interface is called")]

use std::rc::Rc;

use ash::vk;

use super::DriverError;
use super::device::Device;

/// Vulkan buffer with its own memory allocation.
pub(super) struct Buffer {
    device: Rc<Device>,
    pub(super) buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    bytes: u64,
}

/// Memory in which a buffer is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BufferMemory {
    /// Device-local memory.
    Device,
    /// Host memory that the device can access.
    Host,
}

impl Buffer {
    /// Allocates a buffer of `bytes` bytes.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn new(
        device: &Rc<Device>,
        bytes: u64,
        usage: vk::BufferUsageFlags,
        memory: BufferMemory,
    ) -> Result<Self, DriverError> {
        let usage = usage
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::TRANSFER_DST
            | vk::BufferUsageFlags::TRANSFER_SRC;
        let info = vk::BufferCreateInfo::default().size(bytes.max(4)).usage(usage);
        let Device { device: functions, .. } = &**device;
        // SAFETY: `info` is complete
        let buffer = unsafe { functions.create_buffer(&info, None) }.map_err(DriverError::Call)?;
        let mut made = Self { device: device.clone(), buffer, memory: vk::DeviceMemory::null(), bytes };
        // SAFETY: the buffer has just been created
        let needs = unsafe { functions.get_buffer_memory_requirements(buffer) };
        let wanted = match memory {
            BufferMemory::Device => vk::MemoryPropertyFlags::DEVICE_LOCAL,
            BufferMemory::Host => {
                vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT
            }
        };
        let kind = device.memory_type(needs.memory_type_bits, wanted);
        let kind = kind.ok_or_else(|| {
            DriverError::Unavailable(format!("no memory type for buffers in {memory:?} memory"))
        })?;
        let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(kind)
            .push_next(&mut flags);
        // SAFETY: the memory has the size that the buffer requires, and both are freed together
        unsafe {
            made.memory = functions.allocate_memory(&info, None).map_err(DriverError::Call)?;
            functions.bind_buffer_memory(buffer, made.memory, 0).map_err(DriverError::Call)?;
        }
        Ok(made)
    }

    /// Creates a buffer in device memory with this content.
    pub(super) fn with<T: bytemuck::NoUninit>(
        device: &Rc<Device>,
        content: &[T],
        usage: vk::BufferUsageFlags,
    ) -> Result<Self, DriverError> {
        let bytes: &[u8] = bytemuck::cast_slice(content);
        let staging =
            Self::new(device, bytes.len() as u64, vk::BufferUsageFlags::empty(), BufferMemory::Host)?;
        staging.map(|mapped| mapped[..bytes.len()].copy_from_slice(bytes))?;
        let buffer = Self::new(device, bytes.len() as u64, usage, BufferMemory::Device)?;
        staging.copy_to(&buffer)?;
        Ok(buffer)
    }

    /// Reads the content.
    pub(super) fn read<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(
        &self,
    ) -> Result<Vec<T>, DriverError> {
        let staging = Self::new(&self.device, self.bytes, vk::BufferUsageFlags::empty(), BufferMemory::Host)?;
        self.copy_to(&staging)?;
        let count = usize::try_from(self.bytes).unwrap_or(usize::MAX) / size_of::<T>();
        let mut read = vec![T::zeroed(); count];
        staging.map(|mapped| {
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut read);
            bytes.copy_from_slice(&mapped[..bytes.len()]);
        })?;
        Ok(read)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the device address.
    pub(super) fn address(&self) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.buffer);
        // SAFETY: all buffers are created with `SHADER_DEVICE_ADDRESS`
        unsafe { self.device.device.get_buffer_device_address(&info) }
    }

    fn copy_to(&self, other: &Self) -> Result<(), DriverError> {
        let size = self.bytes.min(other.bytes);
        if size == 0 {
            return Ok(());
        }
        let regions = [vk::BufferCopy::default().size(size)];
        // SAFETY: both have at least this size, and live until the copy is done
        unsafe {
            self.device.run(|commands| {
                self.device.device.cmd_copy_buffer(commands, self.buffer, other.buffer, &regions);
            })
        }
    }

    fn map(&self, with: impl FnOnce(&mut [u8])) -> Result<(), DriverError> {
        let functions = &self.device.device;
        let length = usize::try_from(self.bytes.max(4)).unwrap_or(usize::MAX);
        // SAFETY: the memory is host memory of at least this size; it is mapped only here, and the device is idle
        unsafe {
            let start = functions
                .map_memory(self.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
                .map_err(DriverError::Call)?;
            with(std::slice::from_raw_parts_mut(start.cast(), length));
            functions.unmap_memory(self.memory);
        }
        Ok(())
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: `run` waits until its commands are done, so the device does not use the buffer any more
        unsafe {
            self.device.device.destroy_buffer(self.buffer, None);
            self.device.device.free_memory(self.memory, None);
        }
    }
}
