import { readFileSync } from 'node:fs'
import type { SandboxLimits } from '../../ports/sandbox-limits.ts'
import { mostProcesses } from './control-group.ts'

/** Kernel limits under the names that prlimit and `--ulimit` use. */
export function resourceLimits(limits: SandboxLimits) {
  return {
    data: atMost('Max data size', limits.memoryBytes),
    fsize: atMost('Max file size', limits.fileBytes),
    nofile: atMost('Max open files', limits.openFiles),
    nproc: atMost('Max processes', mostProcesses),
    core: 0,
  }
}

/** The start of a command line that limits the program after it and its children. */
export function limitArguments(limits: SandboxLimits): string[] {
  const values = Object.entries(resourceLimits(limits)).map(([name, value]) => `--${name}=${value}`)
  return ['/usr/bin/prlimit', ...values, '--']
}

/** A limit can only be lowered; one above the host's own would be refused. */
function atMost(name: string, wanted: number): number {
  const line = readFileSync('/proc/self/limits', 'utf8')
    .split('\n')
    .find((text) => text.startsWith(name))
  const hard = line?.slice(name.length).trim().split(/\s+/)[1] ?? 'unlimited'
  return hard === 'unlimited' ? wanted : Math.min(wanted, Number(hard))
}
