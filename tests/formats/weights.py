"""Small files of weights, made of bytes alone: python3 weights.py DIRECTORY

dense.gguf, moe.gguf (experts in one tensor, heads per block), old.gguf (a tensor per expert), mla.gguf, llama.safetensors,
moe.safetensors, and of each kind files that are wrong: NAME.bad.gguf, NAME.bad.safetensors. None holds data."""
import json
import random
import struct
import sys

F32, F16, Q8_0 = 0, 1, 8
U32, STRING, ARRAY = 4, 8, 9


def text(s):
    data = s if isinstance(s, bytes) else s.encode()
    return struct.pack("<Q", len(data)) + data


def pair(name, value):
    if isinstance(value, str):
        return text(name) + struct.pack("<I", STRING) + text(value)
    if isinstance(value, list) and isinstance(value[0], str):
        return text(name) + struct.pack("<IIQ", ARRAY, STRING, len(value)) + b"".join(map(text, value))
    if isinstance(value, list):
        return text(name) + struct.pack("<IIQ", ARRAY, U32, len(value)) + struct.pack("<%dI" % len(value), *value)
    return text(name) + struct.pack("<II", U32, value)


def tensor(name, shape, kind=F16):
    return text(name) + struct.pack("<I%dQIQ" % len(shape), len(shape), *reversed(shape), kind, 0)


def gguf(pairs, tensors, version=3, counts=None):
    counts = counts or (len(tensors), len(pairs))
    return b"GGUF" + struct.pack("<IQQ", version, *counts) + b"".join(pairs) + b"".join(tensors)


def keys(arch, **values):
    return [pair("general.architecture", arch)] + [pair("%s.%s" % (arch, k.replace("__", ".")), v) for k, v in values.items()]


def block(i, *more, q=64, kv=16):
    names = [("attn_norm", 64), ("attn_q", q, 64), ("attn_k", kv, 64), ("attn_v", kv, 64), ("attn_output", 64, q)]
    return [tensor("blk.%d.%s.weight" % (i, name), shape) for name, *shape in names + list(more)]


def files():
    words = pair("tokenizer.ggml.tokens", ["t%d" % i for i in range(300)])
    made = {}
    # The order of the file is not that of the layers.
    ends = [tensor("output.weight", (96, 64), Q8_0), tensor("output_norm.weight", (64,), F32), tensor("token_embd.weight", (96, 64))]
    dense = keys("llama", embedding_length=64, attention__head_count=8, attention__head_count_kv=2) + [words]
    layers = [t for i in (0, 10, 2) for t in block(i, ("ffn_up", 128, 64), ("ffn_down", 64, 128))]
    made["dense.gguf"] = gguf(dense, ends + layers)
    experts = [("ffn_gate_inp", 4, 64), ("ffn_up_exps", 4, 32, 64), ("ffn_down_exps", 4, 64, 32), ("ffn_up_shexp", 32, 64)]
    moe = keys("qwen3moe", embedding_length=64, attention__head_count=8, attention__head_count_kv=[2, 0], attention__key_length=16,
               attention__value_length=8, expert_count=4, expert_used_count=2)
    made["moe.gguf"] = gguf(moe, ends + block(0, *experts) + block(1, *experts))
    old = [("ffn_gate_inp", 2, 64)] + [("ffn_%s.%d" % (part, e), 64, 64) for part in ("up", "down") for e in (0, 1)]
    made["old.gguf"] = gguf(keys("llama"), ends + block(0, *old), version=2)
    mla = keys("deepseek2", attention__head_count=8, attention__head_count_kv=1, attention__key_length=40, attention__value_length=32,
               attention__key_length_mla=24)
    made["mla.gguf"] = gguf(mla, ends + [tensor("blk.0.attn_kv_a_mqa.weight", (40, 64))])
    made["two.gguf"] = gguf(dense + [pair("split.count", 2)], ends)
    made["none.bad.gguf"] = gguf(dense, [])
    made["cut.bad.gguf"] = made["dense.gguf"][:-30]
    made["count.bad.gguf"] = gguf(dense, ends, counts=(2**60, len(dense)))
    made["pairs.bad.gguf"] = gguf(dense, ends, counts=(len(ends), 2**60))
    made["array.bad.gguf"] = gguf([text("a.b") + struct.pack("<IIQ", ARRAY, U32, 2**62)], ends)
    made["texts.bad.gguf"] = gguf([text("a.b") + struct.pack("<IIQ", ARRAY, STRING, 2**63)], ends)
    made["nested.bad.gguf"] = gguf([text("a.b") + struct.pack("<IIQ", ARRAY, ARRAY, 1)], ends)
    made["value.bad.gguf"] = gguf([text("a.b") + struct.pack("<I", 13)], ends)
    made["long.bad.gguf"] = gguf([], [struct.pack("<Q", 2**40) + b"a"])
    made["text.bad.gguf"] = gguf([text("a.b") + struct.pack("<IQ", STRING, 2**63)], ends)
    made["utf8.bad.gguf"] = gguf([], [tensor(b"blk.0.\xff\xfe", (1,))])
    made["dims.bad.gguf"] = gguf([], [tensor("a", (1,) * 5)])
    made["huge.bad.gguf"] = gguf([], [tensor("a", (2**40, 2**40))])
    made["type.bad.gguf"] = gguf([], [tensor("a", (64,), 99)])
    made["point.bad.gguf"] = gguf([], [tensor("a", (), Q8_0)])
    made["block.bad.gguf"] = gguf([], [tensor("a", (2, 33), Q8_0)])
    made["version.bad.gguf"] = gguf([], ends, version=1)
    made["order.bad.gguf"] = b"GGUF" + struct.pack(">IQQ", 3, 1, 0) + bytes(64)
    made["magic.bad.gguf"] = b"GGML" + bytes(64)
    made["empty.bad.gguf"] = b""
    for seed in range(200):
        r = random.Random(seed)
        data = bytearray(made[r.choice(("dense.gguf", "moe.gguf", "mla.gguf"))])
        for _ in range(r.randint(1, 4)):
            at = r.randrange(4, len(data))
            data[at] = r.choice((0, 1, 127, 128, 255, r.randrange(256)))
        made["%d.any.gguf" % seed] = bytes(data[: r.choice((len(data), r.randrange(len(data))))])
    return made


def entry(shape, at, kind="BF16", size=2):
    n = size
    for d in shape:
        n *= d
    return {"dtype": kind, "shape": list(shape), "data_offsets": [at, at + n]}


def safetensors(tensors, raw=None):
    head, at = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in tensors:
        head[name] = entry(shape, at)
        at = head[name]["data_offsets"][1]
    data = raw if raw is not None else json.dumps(head).encode()
    return struct.pack("<Q", len(data)) + data


def more():
    made = {}
    ends = [("lm_head.weight", (100, 64)), ("model.embed_tokens.weight", (100, 64)), ("model.norm.weight", (64,))]
    def layer(i, *rest):
        names = [("input_layernorm", (64,)), ("self_attn.k_proj", (16, 64)), ("self_attn.q_proj", (64, 64)), ("self_attn.v_proj", (16, 64))]
        return [("model.layers.%d.%s.weight" % (i, n), s) for n, s in names + list(rest)]
    made["llama.safetensors"] = safetensors(ends + layer(0) + layer(10) + layer(2))
    experts = [("mlp.experts.%d.up_proj" % e, (128, 64)) for e in (0, 10, 1)] + [("mlp.shared_expert.up_proj", (32, 64))]
    made["moe.safetensors"] = safetensors(ends + layer(0, *experts) + layer(1, ("mlp.experts.gate_up_proj", (3, 128, 64))))
    made["cut.bad.safetensors"] = made["llama.safetensors"][:-1]
    made["short.bad.safetensors"] = b"\1\0\0"
    made["size.bad.safetensors"] = struct.pack("<Q", 2**62) + b'{"'
    made["none.bad.safetensors"] = safetensors([])
    made["list.bad.safetensors"] = safetensors([], b"[1]")
    made["shape.bad.safetensors"] = safetensors([], json.dumps({"a": {"dtype": "F16", "shape": [3], "data_offsets": [0, 4]}}).encode())
    made["back.bad.safetensors"] = safetensors([], json.dumps({"a": {"dtype": "X", "shape": [3], "data_offsets": [8, 4]}}).encode())
    made["huge.bad.safetensors"] = safetensors([], json.dumps({"a": {"dtype": "X", "shape": [2**40, 2**40], "data_offsets": [0, 4]}}).encode())
    made["minus.bad.safetensors"] = safetensors([], b'{"a": {"dtype": "X", "shape": [-1], "data_offsets": [0, 4]}}')
    made["inf.bad.safetensors"] = safetensors([], b'{"a": {"dtype": "X", "shape": [1e999], "data_offsets": [0, 4]}}')
    made["utf8.bad.safetensors"] = safetensors([], b'{"\xff": {"dtype": "F16", "shape": [2], "data_offsets": [0, 4]}}')
    made["after.bad.safetensors"] = safetensors([], b"{} {}")
    for seed in range(200):
        r = random.Random(seed)
        data = bytearray(made[r.choice(("llama.safetensors", "moe.safetensors"))])
        for _ in range(r.randint(1, 4)):
            data[r.randrange(8, len(data))] = r.choice((0, 34, 44, 58, 91, 123, 125, 255, r.randrange(256)))
        made["%d.any.safetensors" % seed] = bytes(data[: r.choice((len(data), r.randrange(len(data))))])
    return made


def main():
    for name, data in {**files(), **more()}.items():
        with open("%s/%s" % (sys.argv[1], name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
