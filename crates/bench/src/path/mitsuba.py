"""Renders a glTF scene with Mitsuba 3's path tracer, for comparison with Sunfleck.

    pip install mitsuba numpy     (and LLVM: Debian's libllvm19, or DRJIT_LIBLLVM_PATH names the library)
    python mitsuba.py JOB.json

Prints a line of JSON when the scene is ready, then answers each line of standard input, {"spp", "seed", "out"}, by
a rendering. The job and the protocol are those of cycles.py.

Scattering follows Sunfleck's reading of a material where Mitsuba has an equivalent: Lambertian surfaces, mirrors and
smooth dielectrics that the file marks as such (`SUNFLECK_scene`); `roughplastic` for other dielectrics of one
roughness, since its diffuse base conserves energy like ours; `principled` for the rest. Not covered: animation, skins,
morph targets, sparse accessors, strips and fans, vertex colours, tangents, alpha of emitters.
"""

import base64
import json
import math
import os
import struct
import sys
import tempfile
import time
import urllib.parse

sys.path.pop(0)  # this file has the name of the package
import numpy as np  # noqa: E402

# Meshes that several nodes show become instances beyond this many triangles; fewer are copied, which is faster.
COPIED_TRIANGLES = 1_000_000
# Samples that Mitsuba holds in memory at once: about 1 GB.
PASS_SAMPLES = 1 << 21


class Gltf:
    """A .gltf or .glb file and its buffers."""

    COMPONENTS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
    WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}

    def __init__(self, path):
        self.folder, binary = os.path.dirname(path), None
        with open(path, "rb") as file:
            data = file.read()
        if data[:4] == b"glTF":
            length = struct.unpack_from("<I", data, 12)[0]
            data, binary = data[20:20 + length], data[28 + length:]
        self.json = json.loads(data)
        self.buffers = [self.read(b["uri"]) if "uri" in b else binary for b in self.json.get("buffers", [])]

    def read(self, uri):
        if uri.startswith("data:"):
            return base64.b64decode(uri.split(",", 1)[1])
        with open(os.path.join(self.folder, urllib.parse.unquote(uri)), "rb") as file:
            return file.read()

    def view(self, index):
        view = self.json["bufferViews"][index]
        start = view.get("byteOffset", 0)
        return self.buffers[view["buffer"]][start:start + view["byteLength"]], view.get("byteStride")

    def accessor(self, index):
        a = self.json["accessors"][index]
        data, stride = self.view(a["bufferView"])
        kind, width = np.dtype(self.COMPONENTS[a["componentType"]]), self.WIDTHS[a["type"]]
        strides = (stride or kind.itemsize * width, kind.itemsize)
        values = np.ndarray((a["count"], width), kind, data, a.get("byteOffset", 0), strides)
        return values / np.iinfo(kind).max if a.get("normalized") else values

    def image(self, index):
        """Texels as stored, in [0, 1], rows from the top, RGBA."""
        image = self.json["images"][index]
        stream = mi.MemoryStream()
        stream.write(self.read(image["uri"]) if "uri" in image else bytes(self.view(image["bufferView"])[0]))
        stream.seek(0)
        texels = np.array(mi.Bitmap(stream))
        texels = texels.reshape(*texels.shape[:2], -1) / np.float32(np.iinfo(texels.dtype).max)
        if texels.shape[2] < 3:  # grey
            texels = np.concatenate([texels[..., :1].repeat(3, 2), texels[..., 1:]], 2)
        return texels if texels.shape[2] == 4 else np.pad(texels, ((0, 0), (0, 0), (0, 1)), constant_values=1)

    def nodes(self):
        """Every visible node of the scene with its world matrix."""
        def walk(index, world):
            node = self.json["nodes"][index]
            if node.get("extensions", {}).get("KHR_node_visibility", {}).get("visible", True):
                world = world @ local_matrix(node)
                yield node, world
                for child in node.get("children", []):
                    yield from walk(child, world)
        for root in self.json["scenes"][self.json.get("scene", 0)].get("nodes", []):
            yield from walk(root, np.eye(4))


def local_matrix(node):
    if "matrix" in node:
        return np.array(node["matrix"], "f8").reshape(4, 4).T
    x, y, z, w = node.get("rotation", [0, 0, 0, 1])
    matrix = np.eye(4)
    matrix[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                      [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                      [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
    matrix[:3, :3] *= node.get("scale", [1, 1, 1])
    matrix[:3, 3] = node.get("translation", [0, 0, 0])
    return matrix


def rgb(value):
    return {"type": "rgb", "value": [float(v) for v in value]}


def bitmap(texels):
    return {"type": "bitmap", "raw": True, "bitmap": mi.Bitmap(np.ascontiguousarray(texels, "f4"))}


def texture(gltf, info, convert):
    """A picture of `convert` of the stored texels; so factors are exact, and Mitsuba converts nothing."""
    entry = gltf.json["textures"][info["index"]]
    sampler = gltf.json["samplers"][entry["sampler"]] if "sampler" in entry else {}
    t = info.get("extensions", {}).get("KHR_texture_transform", {})
    (u, v), (a, b), angle = t.get("offset", [0, 0]), t.get("scale", [1, 1]), t.get("rotation", 0)
    cos, sin = math.cos(angle), math.sin(angle)
    return bitmap(convert(gltf.image(entry["source"]))) | {
            "wrap_mode": {33071: "clamp", 33648: "mirror"}.get(sampler.get("wrapS"), "repeat"),
            "filter_type": "nearest" if sampler.get("magFilter") == 9728 else "bilinear",
            "to_uv": mi.ScalarTransform3f([[a * cos, b * sin, u], [-a * sin, b * cos, v], [0, 0, 1]])}


def color(gltf, info, factor, bounded=True):
    linear = lambda t: np.where(t <= 0.04045, t / 12.92, ((t + 0.055) / 1.055) ** 2.4)  # noqa: E731
    if info:
        return texture(gltf, info, lambda t: linear(t[..., :3]) * factor)
    # Mitsuba refuses albedos above 1 but in pictures.
    return rgb(factor) if bounded else bitmap(np.array(factor).reshape(1, 1, 3))


def channel(gltf, info, index, factor):
    return texture(gltf, info, lambda t: t[..., index:index + 1] * factor) if info else float(factor)


def extension(material, name):
    return material.get("extensions", {}).get(name, {})


def bsdf(gltf, material):
    pbr = material.get("pbrMetallicRoughness", {})
    factor = np.array(pbr.get("baseColorFactor", [1, 1, 1, 1]))
    image, packed = pbr.get("baseColorTexture"), pbr.get("metallicRoughnessTexture")
    metallic, roughness = pbr.get("metallicFactor", 1), pbr.get("roughnessFactor", 1)
    transmission = extension(material, "KHR_materials_transmission").get("transmissionFactor", 0)
    specular = extension(material, "KHR_materials_specular").get("specularFactor", 1)
    coat = extension(material, "KHR_materials_clearcoat")
    ior = float(extension(material, "KHR_materials_ior").get("ior", 1.5))
    surface = extension(material, "SUNFLECK_scene").get("surface")
    if surface == "dielectric" or transmission > 0.5 and roughness <= 0.1 and metallic < 0.5:
        ior = float(extension(material, "SUNFLECK_scene").get("ior", ior))
        return {"type": "dielectric", "int_ior": ior, "ext_ior": 1.0, "specular_transmittance": rgb(factor[:3])}
    base = color(gltf, image, factor[:3])
    if is_unlit(material):
        result = {"type": "diffuse", "reflectance": rgb([0, 0, 0])}
    elif surface in ("lambert", "oren-nayar") or specular == 0 and metallic == 0:
        result = {"type": "diffuse", "reflectance": base}
    elif surface == "mirror":
        result = {"type": "conductor", "material": "none", "specular_reflectance": base}
    elif metallic == 0 and specular == 1 and roughness <= 0.5 and not (packed or coat or transmission):
        # Rough facets lose light on the way in and out; a fit to the albedos of both renderers gives it back.
        base = color(gltf, image, factor[:3] * (1.02 + 3.2 * roughness**3.07), bounded=False)
        result = {"type": "roughplastic", "distribution": "ggx", "alpha": max(roughness, 0.0316) ** 2, "int_ior": ior,
                  "ext_ior": 1.0, "diffuse_reflectance": base}
    else:
        # The diffuse base does not lose what the layer above reflects, 7 % on average.
        mean = metallic * (gltf.image(gltf.json["textures"][packed["index"]]["source"])[..., 2].mean() if packed else 1)
        base = color(gltf, image, factor[:3] * (1 - 0.07 * (1 - mean)))
        result = {"type": "principled", "base_color": base, "metallic": channel(gltf, packed, 2, metallic),
                  "roughness": channel(gltf, packed, 1, roughness), "spec_trans": float(transmission),
                  "clearcoat": float(coat.get("clearcoatFactor", 0)),
                  "clearcoat_gloss": 1 - float(coat.get("clearcoatRoughnessFactor", 0))}
        result |= {"eta": ior} if specular == 1 else {"specular": 0.5 * specular}
    if normal := material.get("normalTexture"):
        scale = np.array([normal.get("scale", 1)] * 2 + [1], "f4")
        relief = texture(gltf, normal, lambda t: ((t[..., :3] * 2 - 1) * scale + 1) / 2)
        result = {"type": "normalmap", "normalmap": relief, "nested": result}
    if not transmission:
        result = {"type": "twosided", "nested": result}
    mode, cutoff = material.get("alphaMode", "OPAQUE"), material.get("alphaCutoff", 0.5)
    if mode == "OPAQUE" or mode == "BLEND" and not image and factor[3] == 1:
        return result
    opacity = lambda alpha: np.float32(alpha >= cutoff) if mode == "MASK" else alpha  # noqa: E731
    alpha = texture(gltf, image, lambda t: opacity(t[..., 3:] * factor[3])) if image else float(opacity(factor[3]))
    return {"type": "mask", "opacity": alpha, "nested": result}


def is_unlit(material):
    return "KHR_materials_unlit" in material.get("extensions", {})


def emission(gltf, material):
    """The radiance of a material, or None. Unlit materials emit their base colour."""
    pbr, info = material.get("pbrMetallicRoughness", {}), material.get("emissiveTexture")
    strength = extension(material, "KHR_materials_emissive_strength").get("emissiveStrength", 1)
    factor = np.array(material.get("emissiveFactor", [0, 0, 0])) * strength
    if is_unlit(material):
        factor, info = np.array(pbr.get("baseColorFactor", [1] * 4)[:3]), pbr.get("baseColorTexture")
    return color(gltf, info, factor) if factor.any() else None


def triangles(gltf, primitive, material, world):
    """Positions, normals, texture coordinates and corners of a primitive in world space."""
    attributes = primitive["attributes"]
    info = material.get("pbrMetallicRoughness", {}).get("baseColorTexture") or material.get("emissiveTexture") or {}
    uv_set = extension(info, "KHR_texture_transform").get("texCoord", info.get("texCoord", 0))
    position = gltf.accessor(attributes["POSITION"])
    corners = gltf.accessor(primitive["indices"]).ravel() if "indices" in primitive else np.arange(len(position))
    used, corners = np.unique(corners[:len(corners) // 3 * 3], return_inverse=True)
    corners = corners.reshape(-1, 3)
    position = position[used] @ world[:3, :3].T + world[:3, 3]
    name = f"TEXCOORD_{uv_set}"
    uv = gltf.accessor(attributes[name])[used] if name in attributes else np.zeros((len(used), 2))
    if np.linalg.det(world[:3, :3]) < 0:
        corners = corners[:, ::-1]  # of mirrored meshes the front stays the front
    if "NORMAL" in attributes:
        return position, gltf.accessor(attributes["NORMAL"])[used] @ np.linalg.inv(world[:3, :3]), uv, corners
    position, uv = position[corners.ravel()], uv[corners.ravel()]  # flat, as glTF demands
    a, b, c = position[0::3], position[1::3], position[2::3]
    corners = np.arange(len(position)).reshape(-1, 3)
    return position, np.cross(b - a, c - a).repeat(3, 0), uv, corners


class SceneWriter:
    """Collects the dictionary that Mitsuba loads. Meshes pass through PLY files in a folder."""

    def __init__(self, gltf, folder):
        self.gltf, self.folder, self.scene, self.materials = gltf, folder, {"type": "scene"}, {}

    def add(self, item, scene=None):
        scene = self.scene if scene is None else scene
        scene[f"item{len(scene)}"] = item

    def material(self, index):
        """The glTF material and Mitsuba's, which all meshes share."""
        if index not in self.materials:
            material = {} if index is None else self.gltf.json["materials"][index]
            self.materials[index] = material, mi.load_dict(bsdf(self.gltf, material)), emission(self.gltf, material)
        return self.materials[index]

    def meshes(self, scene, placed):
        """Adds the primitives of (mesh, world matrix) to a dictionary, those of a material as one mesh."""
        by_material = {}
        for mesh, world in placed:
            for primitive in mesh["primitives"]:
                if primitive.get("mode", 4) == 4 and "POSITION" in primitive["attributes"]:
                    index = primitive.get("material")
                    part = triangles(self.gltf, primitive, self.material(index)[0], world)
                    by_material.setdefault(index, []).append(part)
        for index, parts in by_material.items():
            material, scattering, radiance = self.material(index)
            starts = np.cumsum([0] + [len(part[0]) for part in parts])
            position, normal, uv = (np.concatenate(arrays) for arrays in list(zip(*parts))[:3])
            corners = np.concatenate([part[3] + start for part, start in zip(parts, starts)])
            shape = {"type": "ply", "bsdf": scattering}
            if radiance:
                shape["emitter"] = {"type": "area", "radiance": radiance}
            self.add(shape | {"filename": self.ply(position, normal, uv, corners)}, scene)
            if radiance and material.get("doubleSided"):  # Mitsuba's emitters have one side: a sheet for the other
                gap = 1e-4 * np.ptp(position, 0).max()
                behind = position - gap * normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30)
                self.add(shape | {"filename": self.ply(behind, -normal, uv, corners[:, ::-1])}, scene)

    def ply(self, position, normal, uv, corners):
        vertices = np.concatenate([position, normal, uv], 1).astype("<f4")
        faces = np.empty(len(corners), [("count", "u1"), ("corners", "<i4", 3)])
        faces["count"], faces["corners"] = 3, corners
        properties = "".join(f"property float {name}\n" for name in ["x", "y", "z", "nx", "ny", "nz", "u", "v"])
        path = tempfile.mkstemp(".ply", dir=self.folder)[1]
        with open(path, "wb") as file:
            file.write(f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\n{properties}element "
                       f"face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n".encode())
            file.write(vertices.tobytes() + faces.tobytes())
        return path

    def surfaces_and_lights(self):
        gltf, uses = self.gltf, {}
        for node, world in gltf.nodes():
            if "mesh" in node:
                uses.setdefault(node["mesh"], []).append(world)
            index = extension(node, "KHR_lights_punctual").get("light")
            if index is not None:
                self.add(punctual(gltf.json["extensions"]["KHR_lights_punctual"]["lights"][index], world))
        copied = []
        for index, worlds in uses.items():
            mesh = gltf.json["meshes"][index]
            count = sum(gltf.json["accessors"][p.get("indices", p["attributes"]["POSITION"])]["count"] // 3
                        for p in mesh["primitives"])
            emits = any(self.material(p.get("material"))[2] for p in mesh["primitives"])
            if emits or len(worlds) == 1 or len(worlds) * count <= COPIED_TRIANGLES:
                copied += [(mesh, world) for world in worlds]
                continue
            group = {"type": "shapegroup"}
            self.meshes(group, [(mesh, np.eye(4))])
            self.scene[f"group{index}"] = group
            for world in worlds:
                self.add({"type": "instance", "to_world": mi.ScalarTransform4f(world),
                          "shapegroup": {"type": "ref", "id": f"group{index}"}})
        self.meshes(self.scene, copied)


def punctual(light, world):
    """A punctual light; units are radiometric: W/sr, and W/m² for directional ones."""
    power = rgb(np.array(light.get("color", [1, 1, 1])) * light.get("intensity", 1))
    forward = -world[:3, 2] / np.linalg.norm(world[:3, 2])
    if light["type"] == "directional":
        return {"type": "directional", "direction": forward, "irradiance": power}
    if light["type"] == "point":
        return {"type": "point", "position": world[:3, 3], "intensity": power}
    inner = light.get("spot", {}).get("innerConeAngle", 0)
    outer = light.get("spot", {}).get("outerConeAngle", math.pi / 4)
    # Mitsuba's falloff is linear in the angle; glTF's comes as a picture that the cone projects.
    size = 1024
    x = (np.arange(size) + 0.5) / size * 2 - 1
    cos = 1 / np.sqrt(1 + (x * x + x[:, None] ** 2) * math.tan(min(outer, 1.57)) ** 2)
    edge = max(math.cos(inner) - math.cos(outer), 1e-6)
    falloff = np.clip((cos - math.cos(outer)) / edge, 0, 1)[..., None] ** 2 * np.array(power["value"])
    target = list(world[:3, 3] + forward)
    up = world[:3, 1] / np.linalg.norm(world[:3, 1])
    return {"type": "spot", "intensity": rgb([1, 1, 1]), "cutoff_angle": math.degrees(outer),
            "beam_width": math.degrees(outer) * 0.9999,
            "texture": bitmap(falloff),
            "to_world": mi.ScalarTransform4f().look_at(list(world[:3, 3]), target, list(up))}


def environment(light):
    if "constant" in light:
        return {"type": "constant", "radiance": rgb(light["constant"])}
    bitmap = mi.Bitmap(light["file"]).convert(mi.Bitmap.PixelFormat.RGB, mi.Struct.Type.Float32, False)
    # Mitsuba has −z at the edges of the map, we in the middle.
    turn = 180 + math.degrees(light.get("rotation_y_radians", 0))
    return {"type": "envmap", "bitmap": mi.Bitmap(np.array(bitmap) * np.float32(light.get("scale", [1, 1, 1]))),
            "to_world": mi.ScalarTransform4f().rotate([0, 1, 0], turn)}


def sensor(job):
    world = np.eye(4)
    world[:3] = np.array(job["world_from_view"]).reshape(4, 3).T
    world[:3, :3] *= [-1, 1, -1]  # Mitsuba looks along +z, x to the left
    film = {"type": "hdrfilm", "width": job["width"], "height": job["height"], "pixel_format": "rgb",
            "component_format": "float32", "rfilter": {"type": "box"}}
    return {"type": "perspective", "fov_axis": "y", "fov": math.degrees(job["fov_y_radians"]), "near_clip": 1e-3,
            "far_clip": 1e5, "to_world": mi.ScalarTransform4f(world), "film": film,
            # Far less noise than `independent`; `orthogonal` has even less, but takes more samples than asked for.
            "sampler": {"type": "multijitter"}}


def grids(spp):
    """Splits a number of samples into those that fill grids of multijitter, which would round others up."""
    while spp > 0:
        side = math.isqrt(spp)
        part = side * (side + 1) if side * (side + 1) <= spp else side * side
        spp -= part
        yield part


def render(scene, job, spp, seed):
    """Renders, and returns the picture and the seconds that Mitsuba compiled kernels: it does for every new spp."""
    pixels, total = job["width"] * job["height"], 0
    for index, part in enumerate(grids(spp)):
        at_once = max(n for n in range(1, part + 1) if part % n == 0 and (n == 1 or n * pixels <= PASS_SAMPLES))
        integrator = mi.load_dict({"type": "path", "max_depth": job["max_bounces"] + 1, "samples_per_pass": at_once})
        image = mi.render(scene, integrator=integrator, spp=part, seed=(seed * 64 + index) % 2**32)
        total = total + np.array(image) * (part / spp)
    kernels = dr.kernel_history([dr.KernelType.JIT])
    dr.kernel_history_clear()
    compiled = sum(k["codegen_time"] + k["backend_time"] for k in kernels if not k["cache_hit"])
    return total.astype("<f4"), compiled / 1000


def main():
    global dr, mi
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what libraries print is no answer
    try:
        import drjit as dr
        import mitsuba as mi
        mi.set_variant("llvm_ad_rgb")
        with open(sys.argv[1]) as file:
            job = json.load(file)
        mi.set_log_level(mi.LogLevel.Error)  # it would warn of samples_per_pass at every rendering
        dr.set_flag(dr.JitFlag.KernelHistory, True)
        with tempfile.TemporaryDirectory() as folder:
            writer = SceneWriter(Gltf(job["scene"]), folder)
            writer.surfaces_and_lights()
            if job.get("environment"):
                writer.add(environment(job["environment"]))
            writer.add(sensor(job))
            scene = mi.load_dict(writer.scene)
        dr.set_thread_count(job["threads"])  # not earlier: Mitsuba reads no EXR with a single thread
        render(scene, job, 1, 0)
        answers.write(json.dumps({"ready": True, "name": "Mitsuba", "version": mi.__version__}) + "\n")
        for line in sys.stdin:
            request = json.loads(line)
            wall, cpu = time.perf_counter(), time.process_time()
            image, compiled = render(scene, job, request["spp"], request["seed"])
            cpu, wall = time.process_time() - cpu - compiled, time.perf_counter() - wall - compiled
            image.tofile(request["out"])
            answers.write(json.dumps({"cpu_secs": cpu, "wall_secs": wall}) + "\n")
    except Exception as error:  # noqa: BLE001: whatever went wrong, the caller is told
        answers.write(json.dumps({"error": f"{type(error).__name__}: {error}"}) + "\n")
        sys.exit(1)


main()
