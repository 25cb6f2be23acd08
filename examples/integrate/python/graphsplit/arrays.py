"""The memory planner and the partitioner on arrays: lists, array.array or numpy, without a graph text."""

import ctypes
from collections import namedtuple

Pack = namedtuple("Pack", "offsets bytes lower_bound proved stopped")
Pack.__doc__ = """A plan of one arena: the offset of every buffer, the size of the arena, a size below which there is no plan,
whether both are equal, and whether `progress` ended the search."""
Parts = namedtuple("Parts", "part_of cut excess")
Parts.__doc__ = """The part of every node, edges (or bytes) between parts, and load above the limit (0 unless best_effort)."""
Score = namedtuple("Score", "valid cut_edges cut_values cut_bytes total_load largest_load limit load n_cycle")
Score.__doc__ = """Figures of an assignment, as gsp_score_result of graphsplit.h says. limit: None if loads have none."""


def _array(ctype, values, n, name):
    """A ctypes array of n values that fit; None stays None."""
    if values is None:
        return None
    values = values.tolist() if hasattr(values, "tolist") else [int(value) for value in values]
    if len(values) != n:
        raise ValueError("%s has %d values, expected %d" % (name, len(values), n))
    if n and not (0 <= min(values) and max(values) < 1 << 8 * ctypes.sizeof(ctype)):
        raise ValueError("%s has a value below 0 or of more than %d bits" % (name, 8 * ctypes.sizeof(ctype)))
    return (ctype * n)(*values)


def _like(example, values):
    """values as a numpy array if the caller's are one, else as a list."""
    if hasattr(example, "__array_interface__"):
        import numpy

        return numpy.array(values)
    return list(values)


def _plan(tensors, align, aligns, fixed):
    """The plan of gsp_memory_plan_run() for the search to begin with, above what is fixed. It takes a graph: a node per
    buffer, and one per step, after those of the buffers that begin there, that reads all that end there."""
    from . import _arena, _check, api, library

    of_step = {}
    for i, t in enumerate(tensors):
        of_step.setdefault(t.begin, ([], []))[0].append(i)
        of_step.setdefault(t.end, ([], []))[1].append(i)
    node, order, rows = {}, [], []
    for step in sorted(of_step):
        for i in of_step[step][0]:
            node[i] = len(rows)
            order.append(i)
            rows.append([])
        rows.append(sorted(node[i] for i in of_step[step][1] if i in node))
    indptr = [0]
    for row in rows:
        indptr.append(indptr[-1] + len(row))
    size = [0] * len(rows)
    for i in order:
        size[node[i]] = tensors[i].bytes
    graph, _, held = _graph(indptr, [v for row in rows for v in row], False, size)
    desc, error, result = api.gsp_memory_plan_desc(), api.gsp_error(), api.gsp_memory_plan_result()
    desc.align = max(aligns) if aligns else align
    arena, memory = _arena(library.gsp_memory_plan_bound(graph, desc))
    _check(library.gsp_memory_plan_run(arena, graph, desc, result, error), error)
    unit = desc.align or 16
    top = max((t.offset + t.bytes for i, t in enumerate(tensors) if fixed and fixed[i]), default=0)
    top = -(-top // unit) * unit
    for i, t in enumerate(tensors):
        if t.bytes and not (fixed and fixed[i]):
            t.offset = top + result.tensors[result.tensor_of[node[i]]].offset
    del held, memory


def pack(sizes, first, last, *, offsets=None, align=16, aligns=None, fixed=None, capacity=0, max_work=0, progress=None):
    """Offsets of buffers in the smallest arena that the search finds, with a proof where it ends.

    sizes: bytes. first, last: the first and the last step at which a buffer is live. align, aligns: of all offsets, or
    of each. offsets: a valid plan to begin with, and where `fixed` buffers (1) stay. capacity: the search ends at an
    arena of this size. max_work: the search ends after as many steps, 0: a second or so. progress: a function of the
    work so far that returns True to stop with the best plan. Raises Error for a plan that is none, ValueError.
    """
    from . import _arena, _check, api, library

    n = len(sizes)
    tensors = (api.gsp_tensor * n)()
    columns = [_array(kind, values, n, name) for kind, values, name in (
        (ctypes.c_uint64, sizes, "sizes"), (ctypes.c_uint32, first, "first"), (ctypes.c_uint32, last, "last"),
        (ctypes.c_uint64, offsets, "offsets"))]
    for i, t in enumerate(tensors):
        t.bytes, t.begin, t.end, t.node = columns[0][i], columns[1][i], columns[2][i], i
        t.offset = columns[3][i] if columns[3] else 0
    desc, error, result = api.gsp_memory_pack_desc(), api.gsp_error(), api.gsp_memory_pack_result()
    aligns, fixed = _array(ctypes.c_uint32, aligns, n, "aligns"), _array(ctypes.c_uint32, fixed, n, "fixed")
    desc.align, desc.capacity, desc.max_work = align, capacity, max_work
    desc.aligns = ctypes.cast(aligns, type(desc.aligns)) if aligns else None
    desc.fixed = ctypes.cast(fixed, type(desc.fixed)) if fixed else None
    if offsets is None:
        if fixed and any(fixed):
            raise ValueError("fixed buffers need offsets")
        if n and all(t.begin <= t.end for t in tensors):
            _plan(tensors, align, aligns, fixed)
    if progress is not None:
        desc.progress = type(desc.progress)(lambda user, work: 1 if progress(work) else 0)
    arena, memory = _arena(library.gsp_memory_pack_bound(n, desc))
    _check(library.gsp_memory_pack_run(arena, tensors, n, desc, result, error), error)
    proved = result.bytes == result.lower_bound
    plan = Pack(_like(sizes, result.offsets[:n]), result.bytes, result.lower_bound, proved, bool(result.stopped))
    del memory
    return plan


def _graph(indptr, indices, users, value_bytes):
    """A graph over the rows, and what it stands on. Every row is a called node; an output that reads none follows."""
    from . import _arena, _check, api, library

    n = len(indptr) - 1
    if n < 0:
        raise ValueError("indptr is empty")
    desc, error, module = api.gsp_csr_desc(), api.gsp_error(), api.gsp_module()
    begin = _array(ctypes.c_uint32, list(indptr) + [indptr[n]], n + 2, "indptr")
    arrays = {
        "begin": begin,
        "at": _array(ctypes.c_uint32, indices, begin[n], "indices"),
        "op": (ctypes.c_uint8 * (n + 1))(*[api.GSP_OP_CALL_FUNCTION] * n, api.GSP_OP_OUTPUT),
        "bytes": None if value_bytes is None else _array(ctypes.c_uint64, list(value_bytes) + [0], n + 1, "value_bytes"),
    }
    desc.n_nodes, desc.users = n + 1, 1 if users else 0
    for name, array in arrays.items():
        if array is not None:
            setattr(desc, name, ctypes.cast(array, type(getattr(desc, name))))
    arena, memory = _arena(library.gsp_build_csr_bound(desc))
    _check(library.gsp_build_csr(arena, desc, module, error), error)
    return library.gsp_module_graph(module, 0), n, (module, memory, arrays)


def _set(desc, n, arrays):
    """Fields of a desc that are one number per node, or none; what it returns must outlive the call."""
    made = {name: _array(kind, values, n, name) for name, (kind, values) in arrays.items()}
    for name, array in made.items():
        if array is not None:
            full = (array._type_ * (n + 1))(*array)
            made[name] = full
            setattr(desc, name, ctypes.cast(full, type(getattr(desc, name))))
    return made


def kway(indptr, indices, k, *, users=False, weight=None, value_bytes=None, imbalance=0.03, pin=None, attempts=0,
         seed=0, best_effort=False):
    """k parts of about equal load with few edges between them and none to a lower part, for a graph without cycles.

    indptr, indices: rows of nodes, as scipy.sparse.csr_matrix has them: indices[indptr[v]:indptr[v + 1]] are the nodes
    that v reads, all below v, or with users=True those that read v, all above v. weight: load of each node (1).
    value_bytes: bytes of each node's result; given, the parts minimise bytes between them instead of edges. pin: its
    only part for a node, or graphsplit.api.GSP_NONE. Raises Error (NO_FIT, with need) if loads exceed the limit.
    """
    from . import _arena, _check, api, library

    graph, n, held = _graph(indptr, indices, users, value_bytes)
    desc, error, result = api.gsp_kway_desc(), api.gsp_error(), api.gsp_kway_result()
    arrays = _set(desc, n, {"weight": (ctypes.c_uint64, weight), "pin": (ctypes.c_uint32, pin)})
    desc.n_parts, desc.imbalance, desc.attempts, desc.seed = k, round(imbalance * 1e6), attempts, seed
    desc.bytes, desc.best_effort = value_bytes is not None, best_effort
    arena, memory = _arena(library.gsp_kway_bound(graph, desc))
    _check(library.gsp_kway_run(arena, graph, desc, result, error), error, graph)
    parts = Parts(_like(indptr, result.part_of[:n]), result.cut, result.excess)
    del held, arrays, memory
    return parts


def score(indptr, indices, part_of, *, n_parts=None, users=False, weight=None, value_bytes=None, imbalance=None):
    """Figures of any assignment of nodes to parts; the graph as in kway(). imbalance: the limit of loads, for `valid`."""
    from . import _arena, _check, api, library

    graph, n, held = _graph(indptr, indices, users, value_bytes)
    desc, error, result = api.gsp_score_desc(), api.gsp_error(), api.gsp_score_result()
    arrays = _set(desc, n, {"weight": (ctypes.c_uint64, weight), "part_of": (ctypes.c_uint32, part_of)})
    desc.n_parts = max(part_of, default=0) + 1 if n_parts is None else n_parts
    desc.imbalance = 0 if imbalance is None else round(imbalance * 1e6)
    arena, memory = _arena(library.gsp_score_bound(graph, desc))
    _check(library.gsp_score_run(arena, graph, desc, result, error), error, graph)
    figures = {name: getattr(result, name) for name in Score._fields}
    figures["load"] = _like(part_of, result.load[:desc.n_parts])
    figures["valid"] = bool(result.valid)
    figures["limit"] = None if result.limit >= 1 << 63 else result.limit
    del held, arrays, memory
    return Score(**figures)
