/**
 * Runs inside a sandbox and answers requests as they arrive: JSON lines on standard input and
 * output. The host sends no other request while a command runs or files change. The folder of this
 * file is bound into the sandbox, so it imports only its own files and Node's modules. The host
 * validates everything that it sends.
 */
import { realpathSync } from 'node:fs'
import type { InRoot, RunnerReplies, RunnerReply, RunnerRequest } from '../../../ports/sandbox.ts'
import { createBackground } from './background.ts'
import { changeFiles } from './change-files.ts'
import { deleteFile, hashFile, moveFile, readFile, writeFile } from './files.ts'
import { listFiles, searchFiles } from './look.ts'
import { rootFolder } from './paths.ts'
import { placeFile } from './place-file.ts'
import type { RunnerAnswer, RunnerLine, RunnerSetup } from './protocol.ts'
import { readGit } from './read-git.ts'
import { Refusal, refusalOf } from './refusal.ts'
import { createRun } from './run-command.ts'
import { stateOfFiles } from './state-of-files.ts'

serve()

function serve(): void {
  // The runner kills all processes that it sees but itself, so outside a sandbox it would kill the
  // user's.
  if (!import.meta.dirname.startsWith('/.drydock/')) throw new Error('the runner runs in sandboxes alone')
  let answer: ((request: RunnerRequest, signal: AbortSignal) => Promise<RunnerReply<RunnerRequest['op']>>) | null = null
  const open = new Map<number, AbortController>()
  onLine((text) => {
    if (answer === null) {
      answer = createRunner(JSON.parse(text) as RunnerSetup)
      send({})
      return
    }
    const line = JSON.parse(text) as RunnerLine
    if ('abort' in line) {
      open.get(line.abort)?.abort()
      return
    }
    const { id, request } = line
    const controller = new AbortController()
    open.set(id, controller)
    void answer(request, controller.signal).then((reply) => {
      open.delete(id)
      send({ id, reply })
    })
  })
  process.stdin.once('close', () => process.exit(0))
}

/** Node's readline also splits at U+2028, which may occur in a path. */
function onLine(take: (line: string) => void): void {
  let unended: string[] = []
  process.stdin.setEncoding('utf8').on('data', (text: string) => {
    const [first = '', ...others] = text.split('\n')
    unended.push(first)
    for (const next of others) {
      take(unended.join(''))
      unended = [next]
    }
  })
}

function send(line: RunnerAnswer | Record<never, never>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

function createRunner(setup: RunnerSetup) {
  const root = realpathSync(setup.cwd)
  const background = createBackground(setup, root)
  const run = createRun(setup, root, background)
  const rootOf = (request: InRoot) => (request.root === undefined ? root : rootFolder(request.root))

  return async (request: RunnerRequest, signal: AbortSignal): Promise<RunnerReply<RunnerRequest['op']>> => {
    try {
      return { ok: true, value: await perform(request, signal) }
    } catch (error) {
      const { code, message } = refusalOf(error)
      return { ok: false, code, message }
    }
  }

  async function perform(request: RunnerRequest, signal: AbortSignal): Promise<RunnerReplies[RunnerRequest['op']]> {
    signal.throwIfAborted()
    switch (request.op) {
      case 'run':
        return run(request, signal)
      case 'start':
        return background.start(request)
      case 'look':
        return background.look(request, signal)
      case 'read':
        return readFile(rootOf(request), request)
      case 'hash':
        return { sha256: await hashFile(root, request, signal) }
      case 'list':
        return listFiles({ root: rootOf(request), ripgrep: setup.ripgrep, request, signal })
      case 'search':
        return searchFiles({ root: rootOf(request), ripgrep: setup.ripgrep, request, signal })
      case 'state':
        return stateOfFiles({ root, ripgrep: setup.ripgrep, request, signal })
      case 'git':
        return readGit(request, signal)
      case 'write':
        return writeFile(root, request, signal)
      case 'change':
        return changeFiles(root, request, signal)
      case 'place':
        return placeFile(root, request)
      case 'move':
        return moveFile(root, request)
      case 'delete':
        return deleteFile(root, request)
      default:
        throw new Refusal('failed', `unknown request ${JSON.stringify(request satisfies never)}`)
    }
  }
}
