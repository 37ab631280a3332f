//! Scenes of BART in the folder `SUNFLECK_SCENES`: published numbers of triangles, and where the camera and named objects
//! are at given times, as `bart.py` beside this file computes them by numpy.

use std::collections::BTreeMap;

use sunfleck_io::LoadedScene;
use sunfleck_math::{Affine3, Vec3, vec3};
use sunfleck_scene::{NodeId, Scene};

use crate::{load_or_panic, scenes, triangles};

/// Name, time, and the places of the points (0, 0, 0) and (1, 2, 3) of an object; of the camera, its place and a point
/// 1 m before it.
type Row = (&'static str, f32, [f32; 3], [f32; 3]);

fn bart(path: &str) -> LoadedScene {
    let loaded = load_or_panic(&scenes().join("bart").join(path));
    eprintln!("{path}: {:#?}", loaded.report.entries);
    assert_eq!(loaded.report.warnings().count(), 0, "all files and textures are found");
    loaded
}

/// Returns the transforms from nodes to the world.
fn world_from_nodes(scene: &Scene) -> BTreeMap<NodeId, Affine3> {
    let world_from_node = |id| {
        let (mut world_from_node, mut next) = (Affine3::IDENTITY, Some(id));
        while let Some(node) = next.and_then(|id| scene.node(id)) {
            world_from_node = node.parent_from_node * world_from_node;
            next = node.parent;
        }
        world_from_node
    };
    scene.nodes().map(|(id, _)| (id, world_from_node(id))).collect()
}

/// Compares places with those of the table. Rotations are within 10⁻⁴ of their spline where they are compared, for each
/// of up to seven joints of robots that are 14 m tall.
fn assert_places(loaded: &LoadedScene, rows: &[Row]) {
    let animation = loaded.scene.animations().next().unwrap().0;
    for &(name, time, origin, point) in rows {
        let mut scene = loaded.scene.clone();
        for edit in scene.pose(animation, time).unwrap() {
            scene.apply(edit).unwrap();
        }
        let (found, ahead) = if name == "camera" {
            (scene.world_cameras()[0].world_from_view, Vec3::NEG_Z)
        } else {
            let node = scene.nodes().find(|(_, node)| node.name == name).unwrap().0;
            (world_from_nodes(&scene)[&node], vec3(1.0, 2.0, 3.0))
        };
        for (local, expected) in [(Vec3::ZERO, origin), (ahead, point)] {
            let expected = Vec3::from_array(expected);
            let apart = found.transform_point3(local).distance(expected);
            let reach = found.transform_vector3(local).length();
            assert!(apart < 1e-3 + 4e-4 * reach, "{name} at {time}: {apart} from {expected}");
        }
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn kitchen() {
    let loaded = bart("kitchen/aff/kitchen.aff");
    let (kept, dropped) = triangles(&loaded);
    assert_eq!(kept + dropped, 110_561);
    assert_eq!(loaded.scene.lights().count(), 6);
    assert_eq!(loaded.scene.animations().next().unwrap().1.duration_secs(), 20.0);
    assert_places(&loaded, &KITCHEN);
}

/// 10,274 triangles, those of paintings, and moving ones; the frames of the paintings stand on cylinders.
#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn museum() {
    let loaded = bart("museum/aff/museum5.aff");
    let (kept, dropped) = triangles(&loaded);
    assert_eq!(kept + dropped, 10_274 + 10 + 1024);
    let shapes: usize = loaded.scene.meshes().map(|(_, mesh)| mesh.shapes().len()).sum();
    assert_eq!(shapes, 8);
    assert_places(&loaded, &MUSEUM);

    // First corner of the first moving triangle at the file's times −1, 0, 1.25 and 4
    let (animation, motion) = loaded.scene.animations().next().unwrap();
    assert_eq!((motion.duration_secs(), motion.weights.len()), (6.0, 1));
    let mesh = motion.weights[0].mesh;
    let (first, second) = (vec3(-0.447_400, 1.549_333, 0.085_189), vec3(-0.121_070, 3.370_914, 0.157_006));
    let third = vec3(0.5, 3.0, 0.5);
    for (time, expected) in
        [(0.0, first), (1.0, first), (2.25, second + (third - second) * 0.25), (5.0, vec3(0.0, 1.5, 0.0))]
    {
        let mut scene = loaded.scene.clone();
        for edit in scene.pose(animation, time).unwrap() {
            scene.apply(edit).unwrap();
        }
        let found = scene.mesh(mesh).unwrap().positions()[0];
        assert!(found.distance(expected) < 1e-5, "{found} at {time}");
    }
}

#[test]
#[ignore = "needs SUNFLECK_SCENES"]
fn robots() {
    let loaded = bart("robots/aff/Robot.aff");
    let (kept, dropped) = triangles(&loaded);
    assert_eq!(kept + dropped, 71_708);
    assert!(loaded.scene.meshes().len() < 1000, "the meshes of ten robots are shared");
    assert_eq!(loaded.scene.animations().next().unwrap().1.duration_secs(), 50.0);
    assert_places(&loaded, &ROBOTS);
}

#[rustfmt::skip]
#[allow(clippy::excessive_precision, reason = "as the script prints them")]
const KITCHEN: [Row; 18] = [
    ("camera", 0.000, [3.7500, 2.3000, 3.6000], [3.4365, 1.8802, 2.7482]),
    ("toycar", 0.000, [4.4500, 0.0000, 2.7500], [3.4500, 2.0000, -0.2500]),
    ("rotating_wheel_left", 0.000, [4.3657, 0.0280, 2.8086], [-80.9853, -39.9741, -113.4455]),
    ("camera", 3.300, [3.5788, 0.8618, 1.1367], [2.8402, 0.7629, 1.8035]),
    ("toycar", 3.300, [4.3947, 0.0000, 2.7517], [3.2657, 2.0000, -0.2021]),
    ("rotating_wheel_left", 3.300, [4.3130, 0.0280, 2.8140], [-80.5360, -39.9741, -113.8071]),
    ("camera", 8.900, [3.3900, 0.3838, 1.0530], [2.7683, -0.1195, 0.4528]),
    ("toycar", 8.900, [2.8487, 0.0000, 0.3267], [-0.0605, 2.0000, -0.9128]),
    ("rotating_wheel_left", 8.900, [2.8368, 0.0280, 0.4287], [-54.9540, 45.3454, -129.9805]),
    ("camera", 12.700, [0.9466, 0.2772, 1.5844], [1.2092, 0.1268, 0.6313]),
    ("toycar", 12.700, [2.4369, 0.0000, 1.6895], [-0.0621, 2.0000, -0.2483]),
    ("rotating_wheel_left", 12.700, [2.3994, 0.0280, 1.7851], [-6.5944, -84.5629, -121.3550]),
    ("camera", 16.200, [0.7126, 0.1779, 1.0195], [1.6333, 0.0536, 1.3895]),
    ("toycar", 16.200, [1.5285, 0.0000, 1.2039], [-0.1348, 2.0000, -1.4856]),
    ("rotating_wheel_left", 16.200, [1.4599, 0.0280, 1.2804], [-139.9674, 1.4673, -47.6711]),
    ("camera", 19.900, [3.2749, 0.3345, 2.9803], [2.5575, -0.1280, 3.5013]),
    ("toycar", 19.900, [2.7524, 0.0000, 3.4825], [-0.2403, 2.0000, 4.0247]),
    ("rotating_wheel_left", 19.900, [2.8116, 0.0280, 3.5238], [-99.6183, 41.1391, -45.9350]),
];

#[rustfmt::skip]
#[allow(clippy::excessive_precision, reason = "as the script prints them")]
const MUSEUM: [Row; 6] = [
    ("camera", 0.000, [0.0000, 1.8000, -9.0000], [-0.0000, 1.8000, -8.0000]),
    ("camera", 0.800, [0.9420, 2.1137, -2.8484], [0.5583, 2.1165, -1.9249]),
    ("camera", 2.000, [1.9375, 2.8000, 2.4438], [1.2412, 2.6243, 1.7478]),
    ("camera", 3.200, [-3.2874, 2.1580, 1.6791], [-2.3856, 2.0576, 1.2588]),
    ("camera", 4.700, [-0.4621, 1.5208, -4.1053], [-0.3757, 1.7688, -3.1404]),
    ("camera", 5.900, [0.0673, 1.7642, -5.8453], [0.5767, 1.6866, -6.7023]),
];

#[rustfmt::skip]
#[allow(clippy::excessive_precision, reason = "as the script prints them")]
const ROBOTS: [Row; 42] = [
    ("camera", 0.000, [-3.5000, 2.0000, -203.0000], [-3.4412, 2.0987, -203.9934]),
    ("l_toes_rot1", 0.000, [-3.4679, 0.4320, -234.8546], [-5.2525, 4.4320, -240.9221]),
    ("grip_rot2", 0.000, [1.4022, 6.7254, -231.1497], [2.7393, 10.9681, -237.1673]),
    ("gun_rot1", 0.000, [-1.7087, 5.6860, -233.9032], [-3.4933, 9.6860, -239.9708]),
    ("head_rot10", 0.000, [-23.2421, 6.4120, -80.2393], [-28.8990, 10.4120, -83.0677]),
    ("r_toes_rot7", 0.000, [-53.6668, 0.4320, 156.2013], [-59.5005, 4.4320, 158.6444]),
    ("camera", 3.100, [-3.8420, 0.7232, -205.9942], [-3.7637, 0.7590, -206.9905]),
    ("l_toes_rot1", 3.100, [-4.0107, 0.6896, -219.9348], [-5.6696, 3.7413, -226.5632]),
    ("grip_rot2", 3.100, [1.7266, 6.8032, -215.6272], [2.5656, 9.9376, -222.3704]),
    ("gun_rot1", 3.100, [-2.2978, 5.7638, -218.3633], [-1.3219, 1.3415, -224.3207]),
    ("head_rot10", 3.100, [-21.1008, 6.4047, -78.1178], [-26.7765, 10.4047, -80.9083]),
    ("r_toes_rot7", 3.100, [-42.1195, 0.6086, 156.2579], [-48.2016, 4.5446, 158.1330]),
    ("camera", 10.000, [4.8791, 17.1783, -162.1581], [4.3638, 16.9214, -162.9757]),
    ("l_toes_rot1", 10.000, [-5.7411, 0.4041, -187.5593], [-7.4772, 3.8672, -193.9619]),
    ("grip_rot2", 10.000, [2.0292, 6.9476, -181.1524], [1.2152, 12.4847, -186.1202]),
    ("gun_rot1", 10.000, [-4.0885, 5.7045, -184.1625], [-5.8926, 11.1866, -188.9260]),
    ("head_rot10", 10.000, [-21.1803, 6.8115, -78.5019], [-26.5966, 8.6030, -83.3449]),
    ("r_toes_rot7", 10.000, [-13.7832, 0.2768, 153.1789], [-18.1465, 4.1789, 157.8409]),
    ("camera", 16.600, [-0.1652, 6.9801, -136.1785], [-0.7353, 7.0106, -135.3575]),
    ("l_toes_rot1", 16.600, [-6.2660, 1.3756, -151.0236], [-8.2593, 1.2215, -158.2349]),
    ("grip_rot2", 16.600, [2.5372, 6.9476, -148.2089], [0.1915, 13.9765, -147.1635]),
    ("gun_rot1", 16.600, [-4.4739, 5.9386, -151.0583], [-0.0461, 6.3936, -157.0739]),
    ("head_rot10", 16.600, [-21.3352, 5.7207, -78.5246], [-25.4061, 11.9228, -79.5053]),
    ("r_toes_rot7", 16.600, [-3.0050, 0.6086, 127.1470], [-1.7411, 4.5446, 133.3848]),
    ("camera", 27.500, [-1.7669, 11.8203, 32.5938], [-1.5001, 11.8228, 33.5575]),
    ("l_toes_rot1", 27.500, [-5.6559, 0.8181, -97.0208], [-7.8025, 3.2852, -103.7517]),
    ("grip_rot2", 27.500, [2.1920, 6.8032, -93.7324], [4.3739, 10.8079, -99.6655]),
    ("gun_rot1", 27.500, [-3.8559, 5.7682, -96.6737], [-7.9850, 3.7372, -102.5750]),
    ("head_rot10", 27.500, [-4.6085, 6.5620, -50.1524], [-6.9700, 10.5620, -56.0196]),
    ("r_toes_rot7", 27.500, [-3.0323, 1.2516, 81.3542], [-1.0778, 1.4265, 88.5756]),
    ("camera", 42.300, [0.0000, 37.4653, -5.9243], [-0.3588, 36.6118, -6.3021]),
    ("l_toes_rot1", 42.300, [-4.0805, 0.3778, -25.7964], [-6.2262, 4.0811, -31.9349]),
    ("grip_rot2", 42.300, [1.2791, 7.0254, -19.7344], [2.4867, 10.2977, -26.3551]),
    ("gun_rot1", 42.300, [-2.2149, 5.9800, -22.7025], [-0.2961, 9.9916, -28.7212]),
    ("head_rot10", 42.300, [-15.0228, 6.4120, 2.2680], [-14.3844, 10.4120, -4.0242]),
    ("r_toes_rot7", 42.300, [2.0528, 1.5810, 22.5958], [3.3323, -1.0375, 29.4883]),
    ("camera", 49.000, [0.0000, 80.0000, 0.0000], [-0.1415, 79.0149, 0.0983]),
    ("l_toes_rot1", 49.000, [-3.4059, 0.4320, -4.9425], [-5.5288, 4.4320, -10.9002]),
    ("grip_rot2", 49.000, [1.3667, 6.7254, -4.2204], [4.3919, -0.1191, -4.2008]),
    ("gun_rot1", 49.000, [-1.5961, 5.6860, -4.0915], [0.2803, 1.6860, -10.1313]),
    ("head_rot10", 49.000, [-15.0228, 6.4120, 2.2680], [-14.3844, 10.4120, -4.0242]),
    ("r_toes_rot7", 49.000, [3.3805, 0.4320, 11.2270], [4.8026, 4.4320, 17.3896]),
];
