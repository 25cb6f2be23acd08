/* Regions of an ONNX model that run in tiles. */
#ifndef GRAPHSPLIT_ONNX_TILES_H
#define GRAPHSPLIT_ONNX_TILES_H

#include "examples/onnx/model.h"

extern "C" {
#include "algorithms/algorithms.h"
#include "core/core.h"
}

namespace onnx_front
{

/* The model with these regions as operators on slices. `graph`: that of `m`, whose steps are those
 * of `g`. Throws a failure. */
void make_tiles(const model &m, const gsp_graph &graph, cli_session *s, const tile_graph &g,
    const gsp_tile_point &point, onnx::ModelProto &out);

} // namespace onnx_front

#endif
