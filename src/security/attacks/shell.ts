import { readdir } from 'node:fs/promises'
import type { RunnerRequest, SandboxSession } from '../../ports/sandbox.ts'
import { agentSpec } from '../../workflow/lane/sandboxes.ts'
import type { Attack } from '../attack.ts'
import type { Range } from '../range.ts'
import type { Target } from '../target.ts'

const words = [
  '; touch planted',
  '$(touch planted)',
  '`touch planted`',
  "' ; touch planted; '",
  '\n touch planted\n',
  '& touch planted',
  '--pre=/repo/script',
  '-e',
  '-f/etc/passwd',
  '--files',
  '--hostname-bin=/repo/script',
  '--',
  '--output=planted',
]

/** Calls a tool with each of the words in place of its argument. */
const toolAttack = (name: string, asked: (word: string) => RunnerRequest): Attack => ({
  row: 'shell',
  name,
  expected: 'no file was made, nothing was found',
  async run(range) {
    const folder = await range.newFolder({
      script: '#!/bin/sh\ntouch /repo/planted\necho root:planted\n',
      'a.txt': 'a\n',
    })
    const opened = await range.sandbox.open(agentSpec({ folder, access: 'write', readOnlyPaths: [] }), range.signal)
    if (!opened.ok) throw new Error(opened.error.errorMessage)
    try {
      const found = await foundBy(range, opened.value, words.map(asked))
      const made = (await readdir(folder)).filter((file) => !['script', 'a.txt'].includes(file))
      return `${made.length === 0 ? 'no file' : made} was made, ${found.length === 0 ? 'nothing' : found} was found`
    } finally {
      await opened.value.close()
    }
  },
})

async function foundBy({ signal }: Range, session: SandboxSession, requests: readonly RunnerRequest[]) {
  const found: string[] = []
  for (const request of requests) {
    const reply = await session.request(request, signal)
    if (reply.ok && 'matches' in reply.value) found.push(...reply.value.matches.map(({ text }) => text))
    if (reply.ok && 'path' in reply.value) found.push(reply.value.path)
  }
  return found
}

/** Runs git on the host with each of the words in place of a name. */
const gitAttack = (name: string, ask: (target: Target, word: string) => Promise<unknown>): Attack => ({
  row: 'shell',
  name,
  expected: 'nothing ran, no file was made',
  async run(range) {
    const target = await range.newTarget()
    const { drydock, marker, repository } = target
    await drydock.workTrees.initialize([])
    await drydock.userRepository.updateMirror(range.signal)
    const program = `--upload-pack=${marker}`
    // Only the effects matter here, not the errors.
    for (const word of [...words, program, `--open-files-in-pager=${marker}`, `-O${marker}`, `--ext-diff`])
      await ask(target, word).catch(() => undefined)
    const made = (await readdir(repository)).includes('planted')
    return `${(await target.hasRun()) ? 'a program' : 'nothing'} ran, ${made ? 'a' : 'no'} file was made`
  },
})

export const shellAttacks: readonly Attack[] = [
  toolAttack('a pattern of a search is a command or an option', (word) => ({
    op: 'search',
    pattern: word,
    glob: null,
    max: 9,
  })),
  toolAttack('a glob of a search is a command or an option', (word) => ({
    op: 'search',
    pattern: 'root',
    glob: word,
    max: 9,
  })),
  toolAttack('a pattern of file names is a command or an option', (word) => ({ op: 'list', pattern: word, max: 9 })),
  toolAttack('a path is a command or an option', (word) => ({ op: 'read', path: word, maxBytes: 99 })),
  gitAttack('a branch or revision that is named is an option of git', ({ drydock }, word) =>
    drydock.userRepository.target(word),
  ),
  gitAttack('a path of a diff is an option of git', ({ drydock, tip }, word) =>
    drydock.history.diff({ from: tip, to: tip, path: word, maxBytes: 99 }),
  ),
  gitAttack(
    'a pattern that the architect searches a commit for is an option of git',
    ({ drydock, tip, signal }, word) =>
      drydock.history.committed(tip).search({ pattern: word, glob: word, max: 9 }, signal),
  ),
]
