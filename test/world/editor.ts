import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import { workUntilRest } from '../../src/app/wait/work-until-rest.ts'
import type { WorkOptions } from '../../src/app/work-options.ts'
import { DrydockError } from '../../src/domain/drydock-error.ts'
import { serveAcp } from '../../src/server/acp/serve-acp.ts'
import { type PlayedEditor, type PlayedPerson, playEditor } from '../scenarios/acp/editor-world.ts'
import type { MemoryFixture } from './fixture.ts'

/** The processes that continue an editor's requests. */
export interface Workers {
  work(run: string): { readonly ended: Promise<void> }
  /** Kills the present workers. */
  kill(): void
}

export function createWorkers(fixture: MemoryFixture): Workers {
  const working = new Set<() => void>()
  async function begin(run: string): Promise<void> {
    const { process, drydock } = await fixture.begin()
    const kill = () => process.kill('SIGKILL')
    working.add(kill)
    const { signal } = new AbortController()
    const work = workUntilRest(drydock, run, { coders: 2, onNote: () => {}, stop: signal })
    await Promise.race([work.then(() => process.exit(0)), process.ended])
    working.delete(kill)
  }
  const workers: Workers = {
    work: (run) => ({ ended: begin(run).catch(() => undefined) }),
    kill() {
      for (const kill of working) kill()
    },
  }
  onTestFinished(workers.kill)
  return workers
}

export interface EditorOptions extends PlayedPerson {
  readonly options?: WorkOptions
  /** Replaces the started workers. */
  readonly workers?: Pick<Workers, 'work'>
  /** Further repositories that it can open. */
  readonly others?: readonly MemoryFixture[]
}

/** An editor whose agent is `drydock acp`, on repositories in memory. */
export async function startMemoryEditor(
  fixture: MemoryFixture,
  { options = {}, workers, others = [], ...person }: EditorOptions = {},
): Promise<PlayedEditor> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const all = [fixture, ...others].map((each) => ({
    repo: each.repo,
    begin: each.begin,
    work: (each === fixture && workers ? workers : createWorkers(each)).work,
  }))
  const { redact } = await fixture.open()
  let stderr = ''
  const ended = serveAcp({
    version: '0',
    input: stdin,
    output: stdout,
    redact,
    directory: fixture.repo,
    onError(message) {
      stderr += `${message}\n`
    },
    async open(directory) {
      const found = all.find(({ repo }) => directory === repo || directory.startsWith(`${repo}/`))
      if (found === undefined)
        throw new DrydockError('not_a_repository', `${directory} is in no repository.`, { todo: 'Name another.' })
      return { drydock: (await found.begin()).drydock, options, work: found.work }
    },
  })
  const exited = ended.then(() => 0)
  onTestFinished(async () => {
    stdin.end()
    await exited
  })
  return playEditor({ stdin, stdout, exited, stderr: () => stderr }, person)
}
