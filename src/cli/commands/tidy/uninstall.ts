import { existsSync } from 'node:fs'
import { lstat, readdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { usage } from '../../../app/usage.ts'
import { removeFolder } from '../../../compose.ts'
import { readEnvironment } from '../../../config/environment.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { formatBytes } from '../../../domain/figures-text.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { leftFolders } from './left-folders.ts'
import { isUsed, openPaths } from './open-paths.ts'

interface Place {
  readonly what: 'state' | 'keys' | 'cache' | 'temporary'
  readonly path: string
  readonly bytes: number
}

/** Lists all of Drydock's data on this machine. With `--yes` removes the state and the caches. */
export async function uninstall(
  context: Context,
  _args: readonly string[],
  options: CommonOptions & { readonly yes?: boolean },
): Promise<number> {
  const { output, terminal } = context
  const { yes = false } = options
  const { stateRoot, userFile, cache } = readEnvironment(terminal.env)
  const places = await placesOf({ stateRoot, cache })
  const branches = await branchesHere(context, options)
  if (yes) await refuseUsed(places)
  output.emit({ type: 'uninstall', done: yes, places, config: userFile, branches })
  if (!output.json) for (const place of places) output.say(describe(place))
  if (places.length === 0) output.say(`There is no state in ${stateRoot}.`)
  if (yes) {
    for (const { path } of places) await removeFolder(path)
    // Succeeds only if nobody else has put files there.
    await rmdir(stateRoot).catch(() => {})
    output.say('Removed.')
  } else {
    output.note(
      '\nNothing is removed yet. Removing the state also removes all work that is not on a branch, and the receipt key.',
    )
    output.note('Remove everything listed above:  drydock uninstall --yes')
  }
  output.note(`\nYou remove these yourself:\n${remaining({ userFile, branches })}`)
  return 0
}

async function placesOf({ stateRoot, cache }: { readonly stateRoot: string; readonly cache: string }) {
  const names = await readdir(stateRoot).catch(() => [])
  const states = names.map((name) => join(stateRoot, name)).filter(isState)
  const keys = ['dashboard-secret', 'receipt-key.pem'].map((name) => join(stateRoot, name)).filter(existsSync)
  const found: readonly (readonly [Place['what'], readonly string[]])[] = [
    ['state', states],
    ['keys', keys],
    ['cache', existsSync(cache) ? [cache] : []],
    ['temporary', await leftFolders(new Date())],
  ]
  const places = found.flatMap(([what, paths]) =>
    paths.map(async (path) => ({ what, path, bytes: await bytesOf(path) })),
  )
  return Promise.all(places)
}

/** True for the state folder of a repository, and false for other files in the same place. */
function isState(folder: string): boolean {
  return (
    /-[0-9a-f]{12}$/.test(folder) &&
    ['drydock.db', 'postgres.json', 'mirror.git'].some((name) => existsSync(join(folder, name)))
  )
}

async function bytesOf(path: string): Promise<number> {
  const found = await lstat(path).catch(() => null)
  if (found === null) return 0
  if (!found.isDirectory()) return found.blocks * 512
  let sum = found.blocks * 512
  for (const name of await readdir(path).catch(() => [])) sum += await bytesOf(join(path, name))
  return sum
}

async function refuseUsed(places: readonly Place[]): Promise<void> {
  const paths = (await openPaths()) ?? []
  const used = places.find(({ what, path }) => what === 'state' && isUsed(path, paths))
  if (used)
    throw usage(`A process still works in ${used.path}.`, 'Stop it first: drydock pause in that repository, or Ctrl-C.')
}

/** Drydock's branches in the current repository; empty outside of one. */
async function branchesHere(context: Context, options: CommonOptions): Promise<readonly string[]> {
  try {
    const { userRepository } = await open(context, options)
    return (await userRepository.ownBranches()).map(({ name }) => name)
  } catch (error) {
    if (error instanceof DrydockError) return []
    throw error
  }
}

function describe({ what, path, bytes }: Place): string {
  return `${what.padEnd(10)} ${formatBytes(bytes).padStart(9)}  ${path}`
}

function remaining({
  userFile,
  branches,
}: {
  readonly userFile: string
  readonly branches: readonly string[]
}): string {
  const lines = [
    ...(existsSync(userFile) ? [`your configuration: rm ${userFile}`] : []),
    ...(branches.length > 0
      ? [`${branches.length} branches of this repository: drydock cleanup --unmerged --yes, before you uninstall`]
      : []),
    'the receipts in a repository: git update-ref -d refs/notes/drydock',
    'the program: npm uninstall --global drydock, or npm unlink --global drydock after npm link',
  ]
  return lines.map((line) => `  ${line}`).join('\n')
}
