/** What the library finds: the document that `graphsplit split --json` prints. */
export interface Split {
    coverage: { on_accelerators: number; callable: number; upper_bound: boolean };
    /** Nodes on accelerators. */
    acc: string[];
    /** In order of execution. */
    subgraphs: {
        tag: string; kind: string; nodes: string[]; inputs: string[]; outputs: string[];
        bytes_in: number; bytes_out: number; param_bytes: number;
    }[];
    /** Where each called node is, and why. */
    nodes: {
        name: string; operator: string; kind: string; subgraph: string; reason: string; culprit: string | null;
    }[];
    /** The split module as graph texts, the root first. */
    modules: { name: string; fingerprint: string; text: string }[];
    [key: string]: unknown;
}

/** Splits a graph for a CPU and accelerators. A string is what `print(gm.graph)` of torch.fx writes, bytes are a
 *  TensorFlow Lite model. Throws an Error with the program's sentence. */
export function split(graph: string | Uint8Array, options?: SplitOptions): Split;

/** `graphsplit split` with these arguments, and with files in memory. */
export function run(args: string[], files?: Record<string, string | Uint8Array>):
    { status: number; out: string; err: string; files: Record<string, string> };

/** The options of `graphsplit split`, as its --help lists them; an array repeats an option. */
