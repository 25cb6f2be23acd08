#!/bin/sh
# Runs a program for RISC-V that has no operating system but semihosting: sh tests/cross/bare.sh PROGRAM ARGUMENT...
program=$1
shift
words=
for word; do
    case $word in
    *,*) word=$(printf '%s' "$word" | sed 's/,/,,/g') ;; # a comma ends a word there
    esac
    words=$words,arg=$word
done
exec qemu-system-riscv32 -M virt -m 128M -bios none -nographic -monitor none -serial none -chardev stdio,id=text \
    -semihosting-config "enable=on,target=native,chardev=text$words" -kernel "$program"
