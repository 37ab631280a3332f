use std::sync::Arc;

use sunfleck_shading::packed_lights::{LightHeader, LightNode, PackedLights, PunctualLight, TriangleLight};
use sunfleck_shading::{LightTable, MaterialTable};

use crate::buffer::{Twin, Upload};
use crate::{Gpu, GpuError};

/// The table of lights.
#[derive(Debug)]
pub(super) struct Lights {
    header: Twin<LightHeader>,
    nodes: Twin<LightNode>,
    triangles: Twin<TriangleLight>,
    punctual: Twin<PunctualLight>,
    numbers: Twin<u32>,
    /// What they are of.
    from: Option<(Arc<LightTable>, Arc<MaterialTable>)>,
}

impl Lights {
    /// No lights.
    pub(super) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self {
            header: Twin::new(gpu, "lights")?,
            nodes: Twin::new(gpu, "clusters of lights")?,
            triangles: Twin::new(gpu, "triangles that shine")?,
            punctual: Twin::new(gpu, "lights")?,
            numbers: Twin::new(gpu, "tables of lights")?,
            from: None,
        })
    }

    /// Goes on to other lights.
    pub(super) fn update(
        &mut self,
        upload: &mut Upload<'_>,
        lights: &Arc<LightTable>,
        materials: &Arc<MaterialTable>,
    ) -> Result<(), GpuError> {
        let same = |(l, m): &(Arc<_>, Arc<_>)| Arc::ptr_eq(l, lights) && Arc::ptr_eq(m, materials);
        if self.from.as_ref().is_some_and(same) {
            return Ok(());
        }
        let held = self.from.as_ref().map(|(lights, _)| &**lights);
        let PackedLights { header, nodes, triangles, punctual, environment, bins, firsts } =
            lights.packed(materials, held);
        let first_bin = header.bins as usize;
        self.header.update(upload, vec![header])?;
        self.nodes.update(upload, nodes)?;
        self.triangles.update(upload, triangles)?;
        self.punctual.update(upload, punctual)?;
        match environment {
            Some(environment) => self.numbers.update(upload, [environment, bins, firsts].concat())?,
            None => self.numbers.update_after(upload, first_bin, [bins, firsts].concat())?,
        }
        self.from = Some((lights.clone(), materials.clone()));
        Ok(())
    }

    /// The nodes of the tree of lights, and how many lights it is of.
    pub(super) fn tree(&self) -> (&[LightNode], u32) {
        (self.nodes.held(), self.header.held().first().map_or(0, |header| header.near))
    }

    pub(super) fn resources(&self) -> [(&'static str, &wgpu::Buffer); 5] {
        [
            ("light_header", self.header.buffer()),
            ("light_nodes", self.nodes.buffer()),
            ("triangle_lights", self.triangles.buffer()),
            ("punctual_lights", self.punctual.buffer()),
            ("light_numbers", self.numbers.buffer()),
        ]
    }
}
