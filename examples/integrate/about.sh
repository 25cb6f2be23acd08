# What all packages say about graphsplit, and what they hold: this is the only place. Read at the top of the
# checkout by dist.sh, packages.sh and the Makefile. Version and texts are those of the header.
name=graphsplit
version=$(sed -n 's/^.define GSP_VERSION_STRING "\(.*\)"/\1/p' graphsplit.h)
summary=$(sed -n '1s/.* - //p' graphsplit.h)
description=$(sed -n '4s/^ \* //p' graphsplit.h)
licence='MIT OR Unlicense'
maintainer='graphsplit contributors'
# Whoever publishes sets URL and EMAIL; a package that names them is not made without.
url=${URL:-}
email=${EMAIL:-}
keywords='graph partitioning accelerator embedded compiler'
# The library; the second file compiles it.
header=graphsplit.h
# What a program may include besides; each file compiles its own part.
extra=$(echo examples/extra/graphsplit_*.h)
source=examples/integrate/graphsplit.c
# Data of others in the source archive: files, licence, origin.
third_party='examples/models/tflite_deeplabv3*|Apache-2.0|google-coral/test_data
examples/models/tflite_person_detect.fx|Apache-2.0|tensorflow/tflite-micro
examples/models/tflite_mlperf_tiny_*.fx|Apache-2.0|mlcommons/tiny
examples/models/onnx_light_*.fx|Apache-2.0|onnx/onnx
examples/models/onnx_silero_vad_16k.fx|MIT|snakers4/silero-vad
examples/models/onnx_mnist.fx|MIT|microsoft/onnxruntime-inference-examples
tests/search/data/*.csv|Apache-2.0|google/minimalloc
tests/formats/data/*.txt|CC-BY-4.0|Algebraic-Programming/HyperDAG_DB'
