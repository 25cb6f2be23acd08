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
tests/search/data/example.csv|Apache-2.0|google/minimalloc
tests/search/data/inceptionv3*.fx|MIT|msr-fiddle/dnn-partitioning
tests/search/data/piper_*.fx|MIT|msr-fiddle/piper
tests/public/alloc/*.csv|Apache-2.0|google/minimalloc
tests/public/hyperdag/*.txt|CC-BY-4.0|Algebraic-Programming/HyperDAG_DB
tests/public/models/cost/*|MIT|msr-fiddle/dnn-partitioning
tests/public/models/fx/hlo_*|Apache-2.0|Intel-tensorflow/xla
tests/public/models/fx/ncnn_*|BSD-3-Clause|Tencent/ncnn
tests/public/models/fx/torch_*|BSD-3-Clause|pytorch/pytorch
tests/public/models/fx/onnx_light_*|Apache-2.0|onnx/onnx
tests/public/models/fx/onnx_super_resolution.fx|Apache-2.0|onnx/tutorials
tests/public/models/fx/onnx_yunet_*|Apache-2.0|ShiqiYu/libfacedetection.train
tests/public/models/fx/onnx_ultraface_*|MIT|Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB
tests/public/models/fx/onnx_silero_vad_16k.fx|MIT|snakers4/silero-vad
tests/public/models/fx/onnx_mnist.fx|MIT|microsoft/onnxruntime-inference-examples
tests/public/models/fx/tflite_deeplabv3*|Apache-2.0|google-coral/test_data
tests/public/models/fx/tflite_mlperf_tiny_*|Apache-2.0|mlcommons/tiny
tests/public/models/fx/tflite_torchaudio_*|Apache-2.0|google-ai-edge/LiteRT
tests/public/models/fx/tflite_audio_*|Apache-2.0|tensorflow/tflite-micro
tests/public/models/fx/tflite_dtln_*|Apache-2.0|tensorflow/tflite-micro
tests/public/models/fx/tflite_keyword_*|Apache-2.0|tensorflow/tflite-micro
tests/public/models/fx/tflite_micro_*|Apache-2.0|tensorflow/tflite-micro
tests/public/models/fx/tflite_mnist_*|Apache-2.0|tensorflow/tflite-micro
tests/public/models/fx/tflite_person_*|Apache-2.0|tensorflow/tflite-micro
tests/formats/data/*.txt|CC-BY-4.0|Algebraic-Programming/HyperDAG_DB'
