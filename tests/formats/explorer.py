"""Model Explorer and files of `split --model-explorer`.

usage: python3 explorer.py types FILE...    read into its own types, no field left over; prints graphs and nodes
       python3 explorer.py serve FILE       a server; prints the address of the page that shows the file
"""

import json
import socket
import sys


def types(files):
    from dacite import Config, from_dict
    from model_explorer.graph_builder import Graph

    for path in files:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        graphs = [from_dict(Graph, graph, Config(strict=True)) for graph in document["graphs"]]
        for graph in graphs:
            ids = {node.id for node in graph.nodes}
            assert len(ids) == len(graph.nodes), "ids are unique"
            for node in graph.nodes:
                assert all(edge.sourceNodeId in ids for edge in node.incomingEdges), "edges come from nodes"
        print(path, len(graphs), sum(len(graph.nodes) for graph in graphs))


def serve(path):
    import model_explorer
    from model_explorer import server

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = model_explorer.config().add_model_from_path(path)
    print("http://127.0.0.1:%d/?data=%s" % (port, config.to_url_param_value()), flush=True)
    server.start(config=config, host="127.0.0.1", port=port, no_open_in_browser=True, skip_health_check=True)


if __name__ == "__main__":
    types(sys.argv[2:]) if sys.argv[1] == "types" else serve(sys.argv[2])
