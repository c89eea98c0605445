import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Attack } from '../attack.ts'
import { call, submitPlan, writeFileTurn } from '../model-turns.ts'
import { verifyTarget } from '../verify-target.ts'
import { writeFiles } from '../write-files.ts'

/** Files below a folder that have a text in them, by their paths in it. */
async function filesWith(folder: string, wanted: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    if ((await readFile(path, 'latin1')).includes(wanted)) found.push(path.slice(folder.length + 1))
  }
  return found
}

const everyRecord: Attack = {
  row: 'keys',
  name: 'the task, the model and a command say a key: it is looked for in all that was written',
  expected: 'DONE; in no file, no output, no commit',
  async run(range) {
    const { canary } = range
    const target = await range.newTarget({ step: 'grep -q honest README.md' })
    const recording = join(target.folder, 'recorded.json')
    const ran = await target.run(['task', `Make it honest, ${canary}`, '--record', recording], {
      'editor/task/PLANNING': [
        { text: `Your key is ${canary}.`, ...call('run_command', { command: `echo '${canary}'; env` }) },
        { error: { kind: 'overloaded', message: `The key ${canary} is tired`, retryable: true } },
        submitPlan,
      ],
      'editor/task/CODING': [
        writeFileTurn('README.md', 'honest\n'),
        call('submit_change', { summary: `Say honest\n\n${canary}` }),
      ],
    })
    const stored = [...(await filesWith(target.drydock.state, canary)), ...(await filesIn(recording, canary))]
    const messages = await target.git('log', '--all', '--format=%B')
    const where = [
      stored.length === 0 ? 'no file' : stored.join(' '),
      ran.output.includes(canary) ? 'the output' : 'no output',
      messages.includes(canary) ? 'a commit' : 'no commit',
    ]
    return `${ran.events.at(-1)?.status}; in ${where.join(', ')}`
  },
}

async function filesIn(file: string, wanted: string): Promise<readonly string[]> {
  return (await readFile(file, 'utf8')).includes(wanted) ? [file] : []
}

const inStep: Attack = {
  row: 'keys',
  name: 'a step looks for a key in its environment and in that of every process it sees',
  expected: 'PASS: found 0 times',
  async run(range) {
    // Only its beginning, which no redactor knows.
    const wanted = range.canary.slice(0, -1)
    const step = `cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -v grep | grep -c '^[A-Z_]*=${wanted}'; env | grep -c '${wanted}'; true`
    const target = await range.newTarget({ step })
    const { status, tail_log: log } = await verifyTarget(target)
    const counts = (log ?? '').split('\n').map(Number)
    return `${status}: found ${counts.reduce((sum, count) => sum + count, 0)} times`
  },
}

const programs = ['git', 'bwrap', 'podman', 'docker', 'unshare', 'prlimit', 'rg']

/** In front of the real ones: each notes its environment, and then is the real one. */
const inPrograms: Attack = {
  row: 'keys',
  name: 'programs that Drydock starts look for a key in their environment',
  expected: 'PASS: git and the sandbox were started, none was given a key',
  async run(range) {
    const { env, sandbox, canary } = range
    const bin = await range.newFolder()
    const seen = join(bin, 'seen')
    const wrapper = (name: string) =>
      `#!/bin/sh\nprintf '%s\\n' started-${name} >> '${seen}'\nenv >> '${seen}'\nPATH="$(printf %s "$PATH" | sed 's#${bin}:##')" exec ${name} "$@"\n`
    await writeFiles(bin, Object.fromEntries(programs.map((name) => [name, wrapper(name)])))
    const target = await range.newTarget({ env: { PATH: `${bin}:${env.PATH}` } })
    // What this attack's own git has noted had the keys.
    await writeFiles(bin, { seen: '' })
    const { status } = await verifyTarget(target)
    const noted = await readFile(seen, 'utf8')
    const program = sandbox.name === 'bubblewrap' ? 'bwrap' : sandbox.name
    const started = ['git', program].filter((name) => noted.includes(`started-${name}\n`)).length === 2
    return `${status}: ${started ? 'git and the sandbox were started' : 'not all were started'}, ${noted.includes(canary) ? 'one' : 'none'} was given a key`
  },
}

export const keyAttacks: readonly Attack[] = [everyRecord, inStep, inPrograms]
