import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Attack } from '../attack.ts'
import { verifyTarget } from '../verify-target.ts'
import { writeFiles } from '../write-files.ts'

const inStep: Attack = {
  row: 'keys',
  name: 'a step looks for a key in its environment and in that of every process it sees',
  expected: 'PASS: found 0 times',
  async run(range) {
    // Only the beginning of the key, which no redactor recognizes.
    const wanted = range.canary.slice(0, -1)
    const step = `cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -v grep | grep -c '^[A-Z_]*=${wanted}'; env | grep -c '${wanted}'; true`
    const target = await range.newTarget({ step })
    const { status, tail_log: log } = await verifyTarget(target)
    const counts = (log ?? '').split('\n').map(Number)
    return `${status}: found ${counts.reduce((sum, count) => sum + count, 0)} times`
  },
}

const programs = ['git', 'bwrap', 'podman', 'docker', 'unshare', 'prlimit', 'rg']

/** Put before the real programs: each records its environment, and then becomes the real one. */
const inPrograms: Attack = {
  row: 'keys',
  name: 'programs that Drydock starts look for a key in their environment',
  expected: 'PASS: git and the sandbox were started, none was given a key',
  async run(range) {
    const { env, sandbox, canary } = range
    const bin = await range.newFolder()
    const seen = join(bin, 'seen')
    // The real program gets the unchanged PATH, since it may start another of them.
    const wrapper = (name: string) =>
      `#!/bin/sh\nprintf '%s\\n' started-${name} >> '${seen}'\nenv >> '${seen}'\nreal=$(PATH="$(printf %s "$PATH" | sed 's#${bin}:##')" command -v ${name})\nexec "$real" "$@"\n`
    await writeFiles(bin, Object.fromEntries(programs.map((name) => [name, wrapper(name)])))
    const target = await range.newTarget({ env: { PATH: `${bin}:${env.PATH}` } })
    // The records of this attack's own git contain the keys, so they are erased.
    await writeFiles(bin, { seen: '' })
    const { status } = await verifyTarget(target)
    const noted = await readFile(seen, 'utf8')
    const program = sandbox.name === 'bubblewrap' ? 'bwrap' : sandbox.name
    const started = ['git', program].filter((name) => noted.includes(`started-${name}\n`)).length === 2
    return `${status}: ${started ? 'git and the sandbox were started' : 'not all were started'}, ${noted.includes(canary) ? 'one' : 'none'} was given a key`
  },
}

export const keyAttacks: readonly Attack[] = [inStep, inPrograms]
