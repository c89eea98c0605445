import { basename, dirname } from 'node:path'
import type { PlainMount } from '../../ports/sandbox.ts'
import { scripts, shipped } from '../../processes/installation.ts'

/** Ports of 127.0.0.1 in a sandbox that has no network. */
export interface LoopbackPorts {
  readonly mounts: readonly PlainMount[]
  /**
   * A command line for the sandbox that starts the forwarder, and replaces itself by `argv` once
   * the forwarder listens. If that fails, standard error says why and `argv` does not run.
   */
  wrap(argv: readonly string[]): readonly string[]
}

export interface LoopbackPort {
  readonly port: number
  /** The path inside of the unix socket behind the port, without white space. */
  readonly socket: string
}

const inside = '/.drydock/loopback'
const startForwarder = `
[ "$(env -i "$1" "$2" $3 < /dev/null &)" = ready ] || { echo 'the way to the network did not open' >&2; exit 1; }
shift 3
exec "$@"`

/** A sandbox has its own loopback, so the ports are free. */
export function loopbackPorts(ports: readonly LoopbackPort[]): LoopbackPorts {
  const forwarder = [`${inside}/node`, `${inside}/forwarder/${basename(scripts.forwarder)}`]
  const ways = ports.map(({ port, socket }) => `${port}:${socket}`).join(' ')
  return {
    mounts: [
      { path: process.execPath, at: `${inside}/node`, access: 'read' },
      { path: dirname(scripts.forwarder), at: `${inside}/forwarder`, access: 'read' },
      // Tells Node that the forwarder is an ES module.
      { path: shipped('package.json'), at: `${inside}/package.json`, access: 'read' },
    ],
    wrap: (argv) => ['/bin/sh', '-c', startForwarder, 'sh', ...forwarder, ways, ...argv],
  }
}
