//! Content of a scene file and of those that it includes, before it is converted.

use std::collections::BTreeMap;
use std::rc::Rc;

use glam::DAffine3;

use super::parameter::Directive;
use super::state::MaterialName;
use crate::renderer::omissions::Omissions;
use crate::renderer::place::SourcePlace;

/// What the directives of a scene describe.
#[derive(Debug, Default)]
pub(super) struct Description {
    /// Camera with the transform from its space to the world.
    pub(super) camera: Option<Placed>,
    pub(super) film: Option<Directive>,
    pub(super) lights: Vec<Placed>,
    pub(super) area_lights: Vec<Directive>,
    pub(super) shapes: Vec<ShapeEntry>,
    /// Shapes of objects that have instances.
    pub(super) objects: BTreeMap<String, Vec<ShapeEntry>>,
    pub(super) instances: Vec<Placed>,
    pub(super) materials: Vec<Directive>,
    pub(super) named_materials: BTreeMap<String, Directive>,
    pub(super) named_media: BTreeMap<String, Directive>,
    /// Textures by name, those of numbers (`true`) and those of colours.
    pub(super) textures: BTreeMap<(bool, String), Directive>,
    /// First directive about how the scene is rendered.
    pub(super) rendering: Option<SourcePlace>,
    /// Whether the file is of version 3 or an earlier one.
    pub(super) is_version_3: bool,
    pub(super) omissions: Omissions,
    /// Number of directives.
    pub(super) directives: usize,
}

/// Directive with the current transform.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) directive: Directive,
    pub(super) transform: DAffine3,
}

/// Shape with its attributes.
#[derive(Debug)]
pub(super) struct ShapeEntry {
    pub(super) directive: Directive,
    /// Transform from the shape to the world.
    pub(super) transform: DAffine3,
    pub(super) is_reversed: bool,
    pub(super) material: MaterialName,
    /// Number of its area light.
    pub(super) area_light: Option<usize>,
    pub(super) media: MediumNames,
}

/// Names of the media on the sides of a surface; empty where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MediumNames {
    pub(super) interior: Rc<str>,
    pub(super) exterior: Rc<str>,
}
