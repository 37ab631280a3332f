use std::sync::Arc;

use sunfleck_shading::packed_lights::{AreaLight, LightHeader, LightNode, PackedLights, PunctualLight};
use sunfleck_shading::{LightTable, MaterialTable};

use crate::buffer::{MirroredBuffer, Upload};
use crate::{Gpu, GpuError};

/// Light table of a world on the GPU.
#[derive(Debug)]
pub(super) struct Lights {
    header: MirroredBuffer<LightHeader>,
    nodes: MirroredBuffer<LightNode>,
    areas: MirroredBuffer<AreaLight>,
    punctual: MirroredBuffer<PunctualLight>,
    words: MirroredBuffer<u32>,
    /// Tables from which the content was packed.
    source: Option<(Arc<LightTable>, Arc<MaterialTable>)>,
}

impl Lights {
    /// Creates a table without lights.
    pub(super) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self {
            header: MirroredBuffer::new(gpu, "lights")?,
            nodes: MirroredBuffer::new(gpu, "light nodes")?,
            areas: MirroredBuffer::new(gpu, "emissive surfaces")?,
            punctual: MirroredBuffer::new(gpu, "lights")?,
            words: MirroredBuffer::new(gpu, "tables of lights")?,
            source: None,
        })
    }

    /// Updates the content to another table.
    pub(super) fn update(
        &mut self,
        upload: &mut Upload<'_>,
        lights: &Arc<LightTable>,
        materials: &Arc<MaterialTable>,
    ) -> Result<(), GpuError> {
        let same = |(l, m): &(Arc<_>, Arc<_>)| Arc::ptr_eq(l, lights) && Arc::ptr_eq(m, materials);
        if self.source.as_ref().is_some_and(same) {
            return Ok(());
        }
        let previous = self.source.as_ref().map(|(lights, _)| &**lights);
        let PackedLights { header, nodes, areas, punctual, environment, bins, ranges } =
            lights.packed(materials, previous);
        let first_bin = header.bins as usize;
        self.header.update(upload, vec![header])?;
        self.nodes.update(upload, nodes)?;
        self.areas.update(upload, areas)?;
        self.punctual.update(upload, punctual)?;
        let ranges = ranges.into_flattened();
        match environment {
            Some(environment) => self.words.update(upload, [environment, bins, ranges].concat())?,
            None => self.words.update_after(upload, first_bin, [bins, ranges].concat())?,
        }
        self.source = Some((lights.clone(), materials.clone()));
        Ok(())
    }

    /// Nodes of the light tree, and the number of lights in it.
    pub(super) fn tree(&self) -> (&[LightNode], u32) {
        (self.nodes.contents(), self.header.contents().first().map_or(0, |header| header.near))
    }

    pub(super) fn resources(&self) -> [(&'static str, &wgpu::Buffer); 5] {
        [
            ("light_header", self.header.buffer()),
            ("light_nodes", self.nodes.buffer()),
            ("area_lights", self.areas.buffer()),
            ("punctual_lights", self.punctual.buffer()),
            ("light_numbers", self.words.buffer()),
        ]
    }
}
