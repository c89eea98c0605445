import { type DeniedCall, deniedCalls, noSuchCall, noSuchFamily, socketFamilies } from './denied-calls.ts'

/** The numbers of system calls in the kernel's headers for each architecture. */
interface Calls extends Readonly<Record<DeniedCall, number>> {
  readonly socket: number
  /** AUDIT_ARCH_… of linux/audit.h. */
  readonly architecture: number
}

const since5 = { io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, pidfd_getfd: 438 }

const calls: Readonly<Record<string, Calls>> = {
  x64: {
    architecture: 0xc000003e,
    socket: 41,
    add_key: 248,
    request_key: 249,
    keyctl: 250,
    perf_event_open: 298,
    bpf: 321,
    userfaultfd: 323,
    statx: 332,
    ...since5,
  },
  arm64: {
    architecture: 0xc00000b7,
    socket: 198,
    add_key: 217,
    request_key: 218,
    keyctl: 219,
    perf_event_open: 241,
    bpf: 280,
    userfaultfd: 282,
    statx: 291,
    ...since5,
  },
}

// Classic BPF, as in linux/filter.h and linux/seccomp.h.
const load = 0x20
const ifEqual = 0x15
const ifAtLeast = 0x35
const answer = 0x06
const allow = 0x7fff0000
const fail = 0x00050000
/**
 * Offsets in `struct seccomp_data`; a socket family is an int, the low half of the first argument.
 */
const at = { number: 0, architecture: 4, firstArgument: 16 } as const
/** Calls of the x32 interface have this bit set, and their own numbers. */
const x32 = 0x40000000

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

/**
 * The program that the kernel runs before each system call in a sandbox: `struct sock_filter[]`.
 * Calls of other architectures are denied as well, since they have other numbers.
 */
export function seccompFilter(architecture: string = process.arch): Buffer {
  const known = calls[architecture]
  if (known === undefined) throw new Error(`no filter of system calls is known for ${architecture}`)
  const deny: Instruction = [answer, 0, 0, fail | noSuchCall]
  const program: readonly Instruction[] = [
    [load, 0, 0, at.architecture],
    [ifEqual, 1, 0, known.architecture],
    deny,
    [load, 0, 0, at.number],
    [ifAtLeast, 0, 1, x32],
    deny,
    ...deniedCalls.flatMap((name): Instruction[] => [[ifEqual, 0, 1, known[name]], deny]),
    [ifEqual, 1, 0, known.socket],
    [answer, 0, 0, allow],
    [load, 0, 0, at.firstArgument],
    ...socketFamilies.flatMap((family): Instruction[] => [
      [ifEqual, 0, 1, family],
      [answer, 0, 0, allow],
    ]),
    [answer, 0, 0, fail | noSuchFamily],
  ]
  return Buffer.concat(program.map(encoded))
}

/** A program that allows every call. */
export function openFilter(): Buffer {
  return encoded([answer, 0, 0, allow])
}

function encoded([code, ifTrue, ifFalse, value]: Instruction): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt16LE(code, 0)
  bytes.writeUInt8(ifTrue, 2)
  bytes.writeUInt8(ifFalse, 3)
  bytes.writeUInt32LE(value, 4)
  return bytes
}
