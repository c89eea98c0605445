import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { Drydock } from '../../src/app/drydock.ts'
import { workUntilRest } from '../../src/app/wait/work-until-rest.ts'
import type { WorkOptions } from '../../src/app/work-options.ts'
import { DrydockError } from '../../src/domain/drydock-error.ts'
import { serveAcp } from '../../src/server/acp/serve-acp.ts'
import { type PlayedEditor, type PlayedPerson, playEditor } from '../scenarios/acp/editor-world.ts'
import type { MemoryFixture } from './fixture.ts'

/** The processes that go on with what an editor has asked for, in this one. */
export interface Workers {
  work(run: string): { readonly ended: Promise<void> }
  /** Ends those that work now where they are, as a kill does. */
  stop(): Promise<void>
}

export function createWorkers(drydock: Drydock): Workers {
  const working = new Map<Promise<void>, AbortController>()
  const workers: Workers = {
    work(run) {
      const stop = new AbortController()
      const ended = workUntilRest(drydock, run, { coders: 2, onNote: () => {}, stop: stop.signal }).catch(() => {})
      working.set(ended, stop)
      return { ended: ended.finally(() => working.delete(ended)) }
    },
    async stop() {
      for (const stop of working.values()) stop.abort()
      await Promise.all(working.keys())
    },
  }
  onTestFinished(workers.stop)
  return workers
}

export interface EditorOptions extends PlayedPerson {
  readonly options?: WorkOptions
  /** In place of those that work in this process. */
  readonly workers?: Pick<Workers, 'work'>
  /** Repositories that it can open beside the fixture's, by their folders. */
  readonly others?: Readonly<Record<string, MemoryFixture>>
}

/** An editor whose agent is `drydock acp` in this process, on repositories in memory. */
export async function startMemoryEditor(
  fixture: MemoryFixture,
  { options = {}, workers, others = {}, ...person }: EditorOptions = {},
): Promise<PlayedEditor> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const all = Object.entries({ [fixture.repo]: fixture, ...others }).map(([repo, { memory, folder }]) => {
    const { drydock } = memory
    // Sessions are files.
    Object.assign(drydock, { state: join(folder, 'state') })
    return { repo, drydock, work: (repo === fixture.repo && workers ? workers : createWorkers(drydock)).work }
  })
  let stderr = ''
  const ended = serveAcp({
    ...{ version: '0', input: stdin, output: stdout, redact: fixture.memory.drydock.redact },
    directory: fixture.repo,
    onError(message) {
      stderr += `${message}\n`
    },
    async open(directory) {
      const found = all.find(({ repo }) => directory === repo || directory.startsWith(`${repo}/`))
      if (found === undefined)
        throw new DrydockError('not_a_repository', `${directory} is in no repository.`, { todo: 'Name another.' })
      return { drydock: found.drydock, options, work: found.work }
    },
  })
  const exited = ended.then(() => 0)
  onTestFinished(async () => {
    stdin.end()
    await exited
  })
  return playEditor({ stdin, stdout, exited, stderr: () => stderr }, person)
}
