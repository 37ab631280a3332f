#![allow(unsafe_code, reason = "a C interface is called")]

use std::rc::Rc;

use ash::vk;

use super::DriverError;
use super::buffer::Buffer;
use super::device::Device;
use super::stages::{self, PipelineStage};
use super::structure::AccelerationStructure;

/// Ray-tracing pipeline for one kind of query, with its shader binding table.
pub(super) struct Pipeline {
    device: Rc<Device>,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pool: vk::DescriptorPool,
    pipeline: vk::Pipeline,
    /// Shader binding table: one record each for ray generation, hit and miss.
    table: Option<Buffer>,
}

/// Bindings of the shaders: acceleration structure, rays, hits.
const BINDINGS: [vk::DescriptorType; 3] = [
    vk::DescriptorType::ACCELERATION_STRUCTURE_KHR,
    vk::DescriptorType::STORAGE_BUFFER,
    vk::DescriptorType::STORAGE_BUFFER,
];

impl Pipeline {
    /// Creates the pipeline for a ray generation stage.
    ///
    /// # Errors
    /// The driver rejects the shaders.
    pub(super) fn new(device: &Rc<Device>, ray_generation: PipelineStage) -> Result<Self, DriverError> {
        let mut made = Self {
            device: device.clone(),
            set_layout: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            pool: vk::DescriptorPool::null(),
            pipeline: vk::Pipeline::null(),
            table: None,
        };
        made.layouts()?;
        made.stages(ray_generation)?;
        made.table = Some(made.records()?);
        Ok(made)
    }

    fn layouts(&mut self) -> Result<(), DriverError> {
        let functions = &self.device.device;
        let binding = |(kind, i): (vk::DescriptorType, u32)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(i)
                .descriptor_type(kind)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::RAYGEN_KHR)
        };
        let bindings: Vec<_> = BINDINGS.into_iter().zip(0..).map(binding).collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let sizes = [(BINDINGS[0], 1), (BINDINGS[1], 2)]
            .map(|(kind, count)| vk::DescriptorPoolSize::default().ty(kind).descriptor_count(count));
        let flags = vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET;
        let pool = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes).flags(flags);
        // SAFETY: each object is stored as soon as it is created, and destroyed in `drop`
        unsafe {
            self.set_layout =
                functions.create_descriptor_set_layout(&info, None).map_err(DriverError::Call)?;
            self.pool = functions.create_descriptor_pool(&pool, None).map_err(DriverError::Call)?;
            let layouts = [self.set_layout];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            self.layout = functions.create_pipeline_layout(&info, None).map_err(DriverError::Call)?;
        }
        Ok(())
    }

    fn stages(&mut self, ray_generation: PipelineStage) -> Result<(), DriverError> {
        let kinds = [
            (ray_generation, vk::ShaderStageFlags::RAYGEN_KHR),
            (stages::HIT, vk::ShaderStageFlags::CLOSEST_HIT_KHR),
            (stages::MISS, vk::ShaderStageFlags::MISS_KHR),
        ];
        let modules = kinds.into_iter().map(|(stage, _)| Module::new(&self.device, stage));
        let modules = modules.collect::<Result<Vec<_>, _>>()?;
        let info = |(&(stage, kind), module): (&(PipelineStage, _), &Module)| {
            let info = vk::PipelineShaderStageCreateInfo::default();
            info.stage(kind).module(module.module).name(stage.name)
        };
        let infos: Vec<_> = kinds.iter().zip(&modules).map(info).collect();
        let unused = vk::RayTracingShaderGroupCreateInfoKHR::default()
            .ty(vk::RayTracingShaderGroupTypeKHR::GENERAL)
            .general_shader(vk::SHADER_UNUSED_KHR)
            .closest_hit_shader(vk::SHADER_UNUSED_KHR)
            .any_hit_shader(vk::SHADER_UNUSED_KHR)
            .intersection_shader(vk::SHADER_UNUSED_KHR);
        let triangles = vk::RayTracingShaderGroupTypeKHR::TRIANGLES_HIT_GROUP;
        let groups =
            [unused.general_shader(0), unused.ty(triangles).closest_hit_shader(1), unused.general_shader(2)];
        let info = vk::RayTracingPipelineCreateInfoKHR::default()
            .stages(&infos)
            .groups(&groups)
            .max_pipeline_ray_recursion_depth(1)
            .layout(self.layout);
        let (at_once, no_cache) = (vk::DeferredOperationKHR::null(), vk::PipelineCache::null());
        // SAFETY: everything that `info` refers to is alive; the pipeline is stored at once
        let made =
            unsafe { self.device.pipelines.create_ray_tracing_pipelines(at_once, no_cache, &[info], None) };
        self.pipeline = made.map_err(|(_, error)| DriverError::Call(error))?[0];
        Ok(())
    }

    fn records(&self) -> Result<Buffer, DriverError> {
        let Device { pipelines, limits, .. } = &*self.device;
        // SAFETY: the pipeline has three groups, and the size is that of three handles
        let handles =
            unsafe { pipelines.get_ray_tracing_shader_group_handles(self.pipeline, 0, 3, 3 * limits.handle) };
        let handles = handles.map_err(DriverError::Call)?;
        let stride = self.stride();
        let mut table = vec![0_u8; 3 * stride];
        for (record, handle) in table.chunks_mut(stride).zip(handles.chunks(limits.handle)) {
            record[..handle.len()].copy_from_slice(handle);
        }
        Buffer::with(&self.device, &table, vk::BufferUsageFlags::SHADER_BINDING_TABLE_KHR)
    }

    /// Distance between records, bytes. Each record is a table of its own, with the alignment of tables.
    fn stride(&self) -> usize {
        let table = usize::try_from(self.device.limits.table.max(1)).unwrap_or(64);
        self.device.limits.handle.next_multiple_of(table)
    }

    /// Runs the query `times` times, and returns the seconds of each.
    ///
    /// * `hits` — eight bytes per ray.
    pub(super) fn time(
        &self,
        world: &AccelerationStructure,
        rays: &Buffer,
        hits: &Buffer,
        times: u32,
    ) -> Result<Vec<f64>, DriverError> {
        let functions = &self.device.device;
        let layouts = [self.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(self.pool).set_layouts(&layouts);
        let stamps =
            vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(2 * times);
        // SAFETY: the pool has space for one set; `run` waits, after which set and query pool are freed
        unsafe {
            let sets = functions.allocate_descriptor_sets(&info).map_err(DriverError::Call)?;
            self.bind(sets[0], world, rays, hits);
            let asked =
                functions.create_query_pool(&stamps, None).map_err(DriverError::Call).and_then(|stamps| {
                    let ticks = self.trace(&sets, rays, stamps, times);
                    functions.destroy_query_pool(stamps, None);
                    ticks
                });
            functions.free_descriptor_sets(self.pool, &sets).map_err(DriverError::Call)?;
            let tick = self.device.limits.tick;
            asked.map(|ticks| {
                ticks.chunks(2).map(|pair| pair[1].wrapping_sub(pair[0]) as f64 * tick).collect()
            })
        }
    }

    /// # Safety
    /// The set must have the layout of this pipeline, and must not be in use.
    unsafe fn bind(
        &self,
        set: vk::DescriptorSet,
        world: &AccelerationStructure,
        rays: &Buffer,
        hits: &Buffer,
    ) {
        let structures = [world.structure];
        let mut structures =
            vk::WriteDescriptorSetAccelerationStructureKHR::default().acceleration_structures(&structures);
        let whole = |buffer: &Buffer| {
            [vk::DescriptorBufferInfo::default().buffer(buffer.buffer).range(vk::WHOLE_SIZE)]
        };
        let (rays, hits) = (whole(rays), whole(hits));
        let write = |i: u32| {
            let kind = BINDINGS[i as usize];
            vk::WriteDescriptorSet::default().dst_set(set).dst_binding(i).descriptor_type(kind)
        };
        let writes = [
            write(0).descriptor_count(1).push_next(&mut structures),
            write(1).buffer_info(&rays),
            write(2).buffer_info(&hits),
        ];
        // SAFETY: all objects are alive; the caller guarantees the set
        unsafe { self.device.device.update_descriptor_sets(&writes, &[]) };
    }

    /// Traces the rays `times` times; returns the time stamps before and after each, in ticks.
    ///
    /// # Safety
    /// The set must be bound to objects that are alive, and the query pool must have `2 * times` queries.
    unsafe fn trace(
        &self,
        sets: &[vk::DescriptorSet],
        rays: &Buffer,
        stamps: vk::QueryPool,
        times: u32,
    ) -> Result<Vec<u64>, DriverError> {
        let Device { device, pipelines, .. } = &*self.device;
        let (stride, bind_point) = (self.stride() as u64, vk::PipelineBindPoint::RAY_TRACING_KHR);
        let start = self.table.as_ref().map_or(0, Buffer::address);
        let record = |i: u64| {
            let region = vk::StridedDeviceAddressRegionKHR::default();
            region.device_address(start + i * stride).stride(stride).size(stride)
        };
        let (generate, hit, miss) = (record(0), record(1), record(2));
        let none = vk::StridedDeviceAddressRegionKHR::default();
        let count = u32::try_from(rays.bytes() / 32).unwrap_or(u32::MAX);
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE)];
        let mut ticks = vec![0_u64; 2 * times as usize];
        // SAFETY: guaranteed by the caller; the table has three records
        unsafe {
            self.device.run(|commands| {
                device.cmd_reset_query_pool(commands, stamps, 0, 2 * times);
                device.cmd_bind_pipeline(commands, bind_point, self.pipeline);
                device.cmd_bind_descriptor_sets(commands, bind_point, self.layout, 0, sets, &[]);
                for time in 0..times {
                    device.cmd_write_timestamp(commands, all, stamps, 2 * time);
                    pipelines.cmd_trace_rays(commands, &generate, &miss, &hit, &none, count, 1, 1);
                    let flags = vk::DependencyFlags::empty();
                    device.cmd_pipeline_barrier(commands, all, all, flags, &barrier, &[], &[]);
                    device.cmd_write_timestamp(commands, all, stamps, 2 * time + 1);
                }
            })?;
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            device.get_query_pool_results(stamps, 0, &mut ticks, flags).map_err(DriverError::Call)?;
        }
        Ok(ticks)
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let Device { device, .. } = &*self.device;
        // SAFETY: `run` waits until its commands are done; objects that were not created are null
        unsafe {
            device.destroy_pipeline(self.pipeline, None);
            device.destroy_descriptor_pool(self.pool, None);
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

/// Shader module; no longer needed once the pipeline is created.
struct Module {
    device: Rc<Device>,
    module: vk::ShaderModule,
}

impl Module {
    fn new(device: &Rc<Device>, stage: PipelineStage) -> Result<Self, DriverError> {
        let words = stage.words().map_err(DriverError::Shader)?;
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        // SAFETY: naga has validated the module
        let module = unsafe { device.device.create_shader_module(&info, None) };
        Ok(Self { device: device.clone(), module: module.map_err(DriverError::Call)? })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: modules are used only during the call that creates the pipeline, so nothing refers to it
        unsafe { self.device.device.destroy_shader_module(self.module, None) };
    }
}
