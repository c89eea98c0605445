import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { Drydock } from '../app/drydock.ts'
import type { Elsewhere } from '../app/elsewhere.ts'
import type { Installation } from '../app/installation.ts'
import type { Opening } from '../app/opening.ts'
import { actsOf } from '../app/operations/acts-of.ts'
import { readRepositories } from '../app/views/repositories.ts'
import { DrydockError } from '../domain/drydock-error.ts'
import { parsedJson } from '../domain/json.ts'
import type { KnownState, KnownStates } from '../ports/known-states.ts'
import { scripts } from '../processes/installation.ts'
import { startProgram } from '../processes/start-program.ts'

/** Access to states without opening their repositories. */
interface StatesOf {
  readonly stateFolders: (root: string) => Promise<readonly string[]>
  readonly readRepository: (state: string) => Promise<string | null>
  /** The name of a repository's state. Rejects if the path is not a repository. */
  readonly nameOf: (repository: string) => Promise<string>
  readonly openRecords: (state: string) => ReturnType<KnownState['openRecords']>
  readonly isOwned: (state: string) => Promise<boolean>
}

export function createInstallation(root: string, of: StatesOf): KnownStates {
  return {
    async states() {
      const names = await of.stateFolders(root)
      return Promise.all(
        names.map(async (id): Promise<KnownState> => {
          const state = join(root, id)
          const repository = await of.readRepository(state)
          const isOne = repository !== null && existsSync(join(repository, '.git'))
          const found = isOne ? await of.nameOf(repository).catch(() => null) : null
          return {
            id,
            repository,
            isThere: found === id,
            openRecords: () => of.openRecords(state),
            isOwned: () => of.isOwned(state),
          }
        }),
      )
    },
  }
}

/** The first line of `drydock serve --json`. */
const servingSchema = z.object({ type: z.literal('serving'), link: z.string() })

const patienceMs = 30_000

/** Opens the user's other repositories, beside a server of one of them. */
export function createElsewhere(
  { state, env }: Pick<Installation, 'state' | 'env'>,
  installation: KnownStates,
  open: (opening: Opening) => Promise<Drydock>,
): Elsewhere {
  let before = Promise.resolve()
  const started = new Set<ReturnType<typeof startServer>>()

  async function placeOf(id: string): Promise<string> {
    const known = (await installation.states()).find((each) => each.id === id)
    if (known === undefined) throw notFound(`There is no repository "${id}" in ${dirname(state)}.`)
    if (known.repository === null || !known.isThere)
      throw notFound(`The repository of ${id} is not at ${known.repository ?? 'a known place'} any more.`)
    return realpath(known.repository)
  }

  async function openOne(id: string) {
    const server = startServer(await placeOf(id), env)
    started.add(server)
    void server.ended.then(() => started.delete(server))
    return { link: await server.link }
  }

  return {
    list: () => readRepositories(installation, basename(state)),
    open(id) {
      const opening = before.then(() => openOne(id))
      // One at a time, since two at once would start two servers.
      before = opening.then(
        () => undefined,
        () => undefined,
      )
      return opening
    },
    async reply(id, { message, text }) {
      const other = await open({ directory: await placeOf(id), env })
      return (await actsOf(other)).reply({ id: message, text })
    },
    async close() {
      await Promise.all([...started].map((server) => server.end()))
    },
  }
}

/**
 * Runs `drydock serve` for a repository until this process ends. If another process already serves
 * it, the command prints that one's link and exits.
 */
function startServer(repository: string, env: Opening['env']) {
  const args = [...process.execArgv, scripts.program, 'serve', '--repo', repository, '--json']
  const child = startProgram(process.execPath, args, { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
  // Messages for people are discarded, so that they do not fill the pipe.
  child.stderr.resume()
  const ended = once(child, 'close').then(
    () => undefined,
    () => undefined,
  )
  const end = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { ended, end, link: firstLink(child.stdout, { ended, end, repository }) }
}

interface Waiting {
  readonly ended: Promise<void>
  readonly end: () => Promise<void>
  readonly repository: string
}

async function firstLink(stdout: Readable, { ended, end, repository }: Waiting): Promise<string> {
  const told = Promise.withResolvers<string | null>()
  // All lines are read, so that the server never blocks on a full pipe; only the first one matters.
  createInterface({ input: stdout }).on('line', (line) => told.resolve(line))
  void ended.then(() => told.resolve(null))
  const timer = setTimeout(() => told.resolve(null), patienceMs)
  const line = await told.promise
  clearTimeout(timer)
  const serving = servingSchema.safeParse(parsedJson(line ?? ''))
  if (serving.success) return serving.data.link
  await end()
  throw new DrydockError('state_unusable', `The server of ${repository} did not start.`, {
    todo: `See why: drydock serve --repo ${repository}`,
  })
}

function notFound(message: string): DrydockError {
  return new DrydockError('not_found', message, {
    todo: 'Look at the list of repositories. Work in a repository that was moved makes it known again.',
  })
}
