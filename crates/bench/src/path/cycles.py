"""Renders a glTF scene with Blender's Cycles, for comparison with Sunfleck.

    pip install bpy numpy           (Blender 5.0 needs Python 3.11)
    python cycles.py JOB.json

Prints a line of JSON when the scene is ready, then answers each line of standard input, {"spp", "seed", "out"}, by
a rendering: {"cpu_secs", "wall_secs"}. JOB.json, as of mitsuba.py:

    {"scene": "scene.glb", "width": W, "height": H, "threads": n, "max_bounces": n, "fov_y_radians": f,
     "world_from_view": [columns x, y, z and translation; the view looks along -z, y is up],
     "environment": null | {"constant": [r, g, b]} | {"file": "env.exr", "rotation_y_radians": a, "scale": [r, g, b]}}

Blender's importer reads the file. Its materials are then given Sunfleck's reading of glTF: Lambertian surfaces, mirrors
and smooth dielectrics that the file marks as such (`SUNFLECK_scene`), emission from front faces only unless a material
is double-sided, lights in radiometric units. Not covered: animation.
"""

import json
import math
import os
import struct
import sys
import tempfile
import time
import urllib.parse

sys.path.pop(0)  # this file has the name of an add-on
import numpy as np  # noqa: E402

JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942


def read_gltf(path):
    """Returns the JSON of a .gltf or .glb file, and the binary chunk."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != b"glTF":
        return json.loads(data), b""
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + length]), data[28 + length:]


def write_glb(path, gltf, binary):
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
    if binary:
        chunks += struct.pack("<II", len(binary), BINARY_CHUNK) + binary
    with open(path, "wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)


def extension(item, name):
    return item.get("extensions", {}).get(name, {})


def prepare(gltf, folder):
    """Changes glTF so that the importer makes of it what Sunfleck shows, and names say what was what."""
    for name in ["animations", "cameras"]:
        gltf.pop(name, None)
    for item in gltf.get("buffers", []) + gltf.get("images", []):
        if "uri" in item and not item["uri"].startswith("data:"):
            item["uri"] = os.path.join(os.path.abspath(folder), urllib.parse.unquote(item["uri"]))
    for node in gltf.get("nodes", []):
        node.pop("camera", None)
        if not extension(node, "KHR_node_visibility").get("visible", True):
            for name in ["mesh", "children", "extensions"]:
                node.pop(name, None)
    for index, material in enumerate(gltf.get("materials", [])):
        material["name"] = str(index)
        if material.get("extensions", {}).pop("KHR_materials_unlit", None) is not None:
            pbr = material.get("pbrMetallicRoughness", {})
            material["emissiveFactor"] = pbr.get("baseColorFactor", [1, 1, 1])[:3]
            if "baseColorTexture" in pbr:
                material["emissiveTexture"] = pbr["baseColorTexture"]
            pbr["baseColorFactor"] = [0, 0, 0] + pbr.get("baseColorFactor", [1] * 4)[3:]
            material.setdefault("extensions", {})["SUNFLECK_scene"] = {"surface": "lambert"}
    for index, light in enumerate(extension(gltf, "KHR_lights_punctual").get("lights", [])):
        light["name"] = str(index)


def index_of(item):
    """The glTF index that `prepare` made the name; Blender adds a suffix to copies."""
    return int(item.name.split(".")[0])


def fix_material(material, gltf):
    tree = material.node_tree
    shader = next((node for node in tree.nodes if node.type == "BSDF_PRINCIPLED"), None)
    if shader is None:
        return

    def fix(socket, value):
        for link in list(shader.inputs[socket].links):
            tree.links.remove(link)
        shader.inputs[socket].default_value = value

    pbr = gltf.get("pbrMetallicRoughness", {})
    surface = extension(gltf, "SUNFLECK_scene").get("surface")
    transmission = extension(gltf, "KHR_materials_transmission").get("transmissionFactor", 0)
    smooth = pbr.get("roughnessFactor", 1) <= 0.1 and pbr.get("metallicFactor", 1) < 0.5
    if surface in ("lambert", "oren-nayar"):
        fix("Specular IOR Level", 0)
        fix("Metallic", 0)
        if surface == "oren-nayar":
            fix("Diffuse Roughness", extension(gltf, "SUNFLECK_scene").get("roughness", 0.5))
    elif surface == "dielectric" or surface is None and transmission > 0.5 and smooth:
        fix("Roughness", 0)
        fix("Transmission Weight", 1)
        ior = extension(gltf, "KHR_materials_ior").get("ior", 1.5)
        fix("IOR", extension(gltf, "SUNFLECK_scene").get("ior", ior))
        # Blender takes the colour for that of two interfaces.
        tint = pbr.get("baseColorFactor", [1, 1, 1])[:3]
        fix("Base Color", [value * value for value in tint] + [1])
    elif surface == "mirror":
        # The metal of the principled shader becomes white at grazing angles.
        mirror = tree.nodes.new("ShaderNodeBsdfAnisotropic")
        mirror.inputs["Color"].default_value = pbr.get("baseColorFactor", [1, 1, 1])[:3] + [1]
        mirror.inputs["Roughness"].default_value = 0
        for link in list(shader.outputs[0].links):
            tree.links.new(mirror.outputs[0], link.to_socket)
    strength = shader.inputs["Emission Strength"]
    material.cycles.emission_sampling = "FRONT_BACK" if gltf.get("doubleSided") else "FRONT"
    if not any(gltf.get("emissiveFactor", [0])):
        fix("Emission Strength", 0)
        material.cycles.emission_sampling = "NONE"
    elif not gltf.get("doubleSided"):
        geometry, front = tree.nodes.new("ShaderNodeNewGeometry"), tree.nodes.new("ShaderNodeMath")
        front.operation = "MULTIPLY_ADD"  # strength - backfacing · strength
        tree.links.new(geometry.outputs["Backfacing"], front.inputs[0])
        front.inputs[1].default_value, front.inputs[2].default_value = -strength.default_value, strength.default_value
        tree.links.new(front.outputs[0], strength)


def fix_light(light, gltf):
    intensity = gltf.get("intensity", 1)
    light.color = gltf.get("color", [1, 1, 1])
    light.energy = intensity
    if light.type == "SUN":
        light.angle = 0
        return
    light.energy = intensity * 4 * math.pi
    light.shadow_soft_size = 0
    light.use_soft_falloff = False
    if light.type == "SPOT":
        # A hard cone, dimmed by glTF's falloff: clamp((cos - outer) / (inner - outer))²
        light.spot_blend = 0
        outer = math.cos(light.spot_size / 2)
        edge = max(math.cos(gltf.get("spot", {}).get("innerConeAngle", 0)) - outer, 1e-6)
        light.use_nodes = True
        tree = light.node_tree
        direction, axes = tree.nodes.new("ShaderNodeTexCoord"), tree.nodes.new("ShaderNodeSeparateXYZ")
        ramp, square = tree.nodes.new("ShaderNodeMath"), tree.nodes.new("ShaderNodeMath")
        ramp.operation, ramp.use_clamp, square.operation = "MULTIPLY_ADD", True, "POWER"
        ramp.inputs[1].default_value, ramp.inputs[2].default_value = -1 / edge, -outer / edge
        square.inputs[1].default_value = 2
        emission = next(node for node in tree.nodes if node.type == "EMISSION")
        for output, socket in [(direction.outputs["Normal"], axes.inputs[0]), (axes.outputs["Z"], ramp.inputs[0]),
                               (ramp.outputs[0], square.inputs[0]), (square.outputs[0], emission.inputs["Strength"])]:
            tree.links.new(output, socket)


def import_scene(path):
    gltf, binary = read_gltf(path)
    prepare(gltf, os.path.dirname(path))
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "scene.glb")
        write_glb(copy, gltf, binary)
        bpy.ops.import_scene.gltf(filepath=copy, export_import_convert_lighting_mode="RAW", merge_vertices=False)
    for material in bpy.data.materials:
        if material.name.split(".")[0].isdigit():
            fix_material(material, gltf["materials"][index_of(material)])
    for light in bpy.data.lights:
        fix_light(light, gltf["extensions"]["KHR_lights_punctual"]["lights"][index_of(light)])
    for thing in bpy.data.objects:
        # Offsets against artefacts on coarse meshes, which move shadows
        thing.cycles.shadow_terminator_offset = 0
        thing.cycles.shadow_terminator_geometry_offset = 0


def set_environment(scene, light):
    world = scene.world = bpy.data.worlds.new("environment")
    tree = world.node_tree
    background = next(node for node in tree.nodes if node.type == "BACKGROUND")
    background.inputs["Strength"].default_value = 1
    if light is None or "constant" in light:
        background.inputs["Color"].default_value = ((light or {}).get("constant") or [0, 0, 0]) + [1]
        return
    direction, turn = tree.nodes.new("ShaderNodeTexCoord"), tree.nodes.new("ShaderNodeMapping")
    picture, scale = tree.nodes.new("ShaderNodeTexEnvironment"), tree.nodes.new("ShaderNodeVectorMath")
    # The middle of the map is +x in Blender, and -z, Blender's +y, in Sunfleck.
    turn.inputs["Rotation"].default_value[2] = -math.pi / 2 - light.get("rotation_y_radians", 0)
    picture.image = bpy.data.images.load(os.path.abspath(light["file"]))
    scale.operation = "MULTIPLY"
    scale.inputs[1].default_value = light.get("scale", [1, 1, 1])
    for output, socket in [(direction.outputs["Generated"], turn.inputs["Vector"]),
                           (turn.outputs[0], picture.inputs["Vector"]), (picture.outputs[0], scale.inputs[0]),
                           (scale.outputs[0], background.inputs["Color"])]:
        tree.links.new(output, socket)


def set_camera(scene, job):
    camera = bpy.data.cameras.new("job")
    camera.sensor_fit, camera.angle = "VERTICAL", job["fov_y_radians"]
    camera.clip_start, camera.clip_end = 1e-4, 1e6
    scene.camera = bpy.data.objects.new("job", camera)
    scene.collection.objects.link(scene.camera)
    world = np.eye(4)
    world[:3] = np.array(job["world_from_view"]).reshape(4, 3).T
    z_up = np.array([[1, 0, 0, 0], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    scene.camera.matrix_world = mathutils.Matrix((z_up @ world).tolist())


def set_rendering(scene, job):
    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
    render.resolution_x, render.resolution_y, render.resolution_percentage = job["width"], job["height"], 100
    render.threads_mode, render.threads = "FIXED", job["threads"]
    render.use_persistent_data = True
    render.use_compositing = render.use_sequencer = render.film_transparent = False
    render.dither_intensity = 0
    render.image_settings.file_format, render.image_settings.color_depth = "OPEN_EXR", "32"
    render.image_settings.color_mode, render.image_settings.exr_codec = "RGB", "NONE"
    scene.view_settings.view_transform, scene.view_settings.exposure = "Raw", 0
    # Without the settings that trade light for less noise
    bounces = min(max(job["max_bounces"] - 1, 0), 1023)  # Cycles does not count the last, to a light
    settings = {
        "device": "CPU", "use_denoising": False, "use_adaptive_sampling": False, "use_light_tree": True,
        "light_sampling_threshold": 0, "sample_clamp_direct": 0, "sample_clamp_indirect": 0, "blur_glossy": 0,
        "caustics_reflective": True, "caustics_refractive": True, "use_fast_gi": False, "use_guiding": False,
        "film_exposure": 1, "pixel_filter_type": "BOX", "sampling_pattern": "BLUE_NOISE", "time_limit": 0,
        "max_bounces": bounces, "diffuse_bounces": bounces, "glossy_bounces": bounces,
        "transmission_bounces": bounces, "volume_bounces": 0, "transparent_max_bounces": 1024,
        "min_light_bounces": 0, "min_transparent_bounces": 0, "use_auto_tile": False}
    for name, value in settings.items():
        setattr(cycles, name, value)


def render(scene, spp, seed):
    scene.cycles.samples, scene.cycles.seed = spp, seed
    scene.update_tag()  # or the first change would be missed
    bpy.ops.render.render()


def picture(scene, job):
    """The radiance of the last rendering, rows from the top."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "picture.exr")
        bpy.data.images["Render Result"].save_render(path, scene=scene)
        image = bpy.data.images.load(path)
        image.colorspace_settings.name = "Non-Color"
        pixels = np.empty(job["height"] * job["width"] * 4, "f4")
        image.pixels.foreach_get(pixels)
        bpy.data.images.remove(image)
    return pixels.reshape(job["height"], job["width"], 4)[::-1, :, :3].astype("<f4")


def main():
    global bpy, mathutils
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what Blender prints is no answer
    try:
        import bpy
        import mathutils
        import addon_utils
        with open(sys.argv[1]) as file:
            job = json.load(file)
        bpy.ops.wm.read_factory_settings(use_empty=True)
        addon_utils.enable("io_scene_gltf2")
        import_scene(job["scene"])
        scene = bpy.context.scene
        set_environment(scene, job.get("environment"))
        set_camera(scene, job)
        set_rendering(scene, job)
        render(scene, 1, 0)
        answers.write(json.dumps({"ready": True, "name": "Cycles", "version": bpy.app.version_string}) + "\n")
        for line in sys.stdin:
            request = json.loads(line)
            wall, cpu = time.perf_counter(), time.process_time()
            render(scene, request["spp"], request["seed"])
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            picture(scene, job).tofile(request["out"])
            answers.write(json.dumps({"cpu_secs": cpu, "wall_secs": wall}) + "\n")
    except Exception as error:  # noqa: BLE001: whatever went wrong, the caller is told
        answers.write(json.dumps({"error": f"{type(error).__name__}: {error}"}) + "\n")
        sys.exit(1)


main()
