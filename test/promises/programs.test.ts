import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createFixture, greenLanes, resultOf } from '../scenarios/world/fixture.ts'
import { launch } from '../scenarios/world/process.ts'

const bin = fileURLToPath(new URL('../../bin/drydock', import.meta.url))

/** Limit on the task's programs, including those that git starts; a sandbox counts as one. */
const mostPrograms = 55

test(`the smallest task in a new state starts at most ${mostPrograms} programs`, async () => {
  const fixture = await createFixture()
  onTestFinished(() => fixture.remove())
  const task = ['task', 'say new', '--json', '--model', await fixture.replay(greenLanes), '--repo', fixture.repo]
  const trace = join(fixture.folder, 'trace')
  const calls = ['-e', 'trace=execve,clone,clone3,fork,vfork', '-e', 'signal=none', '-s', '300']
  const traced = ['-f', '--seccomp-bpf', '-qq', ...calls, '-o', trace, '--', bin, ...task]
  const done = await launch(traced, { env: fixture.env, program: 'strace' }).ended
  expect(resultOf(done)).toMatchObject({ status: 'DONE', branch: 'drydock/say-new' })
  const started = programsOf(await readFile(trace, 'latin1'))
  expect(started.filter((words) => words.includes('cat-file'))).not.toEqual([])
  expect(started.length, started.join('\n')).toBeLessThanOrEqual(mostPrograms)
})

/** Command lines of all programs that the traced Drydock has started outside sandboxes. */
function programsOf(trace: string): readonly string[] {
  const lines = trace.split('\n').map((line) => /^(\d+) +(.*)$/.exec(line) ?? [])
  const parents = new Map(
    lines.flatMap(([, pid = '', said = '']) => {
      const child = /^(?:<\.\.\. )?(?:clone3?|v?fork)\b.* = (\d+)$/.exec(said)?.[1]
      return child === undefined ? [] : [[child, pid]]
    }),
  )
  // A process counts once, whatever it executes later.
  const programs = new Map<string, string>()
  let drydock: string | undefined
  for (const [, pid = '', said = ''] of lines) {
    const words = /^execve\("[^"]*", \[(.*?)\]/
      .exec(said)?.[1]
      ?.replaceAll(/[", ]+/g, ' ')
      .trim()
    if (words === undefined || / = -1 /.test(said)) continue
    // The launcher becomes Drydock.
    if (/\/node .*\btask say new/.test(words)) drydock = pid
    else if (!programs.has(pid)) programs.set(pid, words)
  }
  // Processes in a sandbox have other ids than outside.
  const isOurs = (pid: string): boolean => {
    const parent = parents.get(pid)
    if (parent === undefined || parent === drydock) return parent !== undefined
    return !/^\S*unshare /.test(programs.get(parent) ?? '') && isOurs(parent)
  }
  return [...programs].flatMap(([pid, words]) => (isOurs(pid) ? [words] : []))
}
