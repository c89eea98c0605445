import { nothingKept, restoreSnapshot } from '../../../app/commands/restore.ts'
import type { Drydock } from '../../../app/drydock.ts'
import type { Installation } from '../../../app/installation.ts'
import { shellWord } from '../../../app/text/shell-word.ts'
import { pushLine } from '../../../app/text/take-line.ts'
import { filesChanged, type KeptWork, readKept } from '../../../app/views/diff/kept-snapshots.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { open } from '../../open.ts'
import { inColumns } from '../../screen/columns.ts'

interface RestoreOptions {
  readonly at?: number
  readonly run?: string
  readonly branch?: string
  readonly list?: true
}

/** Restores a snapshot of a story to a new branch. Existing branches and files stay unchanged. */
export async function restore(
  context: Context,
  [id = '']: readonly string[],
  options: CommonOptions & RestoreOptions,
): Promise<number> {
  const drydock = await open(context, options)
  const kept = await readKept(drydock, { id, inRun: options.run })
  if (options.list === true) await list(context, drydock, kept)
  else await bringBack(context, drydock, { ...kept, options })
  return 0
}

async function list(
  { output }: Context,
  drydock: Pick<Installation, 'history'>,
  { run, story, snapshots, aside }: KeptWork,
): Promise<void> {
  const lines = await Promise.all(
    snapshots.map(async ({ parent, ...each }) => ({
      ...each,
      files: await filesChanged(drydock, { ...each, parent }),
    })),
  )
  output.emit({ type: 'snapshots', run: run.id, story: story.story, snapshots: lines, set_aside: aside })
  if (output.json) return
  if (lines.length === 0) output.say(nothingKept({ run, story }).message)
  else {
    const rows = lines.map(({ n, at, files, why }) => ({
      cells: [String(n), at.slice(0, 19).replace('T', ' '), String(files), why],
      tone: 'strong' as const,
    }))
    output.say(inColumns(output.screen, { head: ['N', 'TIME (UTC)', 'FILES', 'WHY'], right: [0, 2], painted: 0 }, rows))
  }
  sayAside({ output }, aside)
}

async function bringBack(
  { output }: Pick<Context, 'output'>,
  drydock: Drydock,
  { run, story, snapshots, aside, options }: KeptWork & { readonly options: RestoreOptions },
): Promise<void> {
  if (snapshots.length === 0) sayAside({ output }, aside)
  const kept = { run, story, snapshots, aside }
  const { n, sha, at, why, branch: name, repository } = await restoreSnapshot(drydock, kept, options)
  output.emit({
    type: 'restore',
    run: run.id,
    story: story.story,
    n,
    sha,
    at,
    why,
    branch: name,
    set_aside: aside,
    ...(repository && { repository: repository.path }),
  })
  const of = `Snapshot ${n} of ${story.id}`
  const git = repository === null ? 'git' : `git -C ${shellWord(repository.path)}`
  const go = repository?.url === undefined ? `${git} switch ${name}` : pushLine(repository.path, name)
  const where = repository === null ? '' : ` of ${repository.path}`
  output.say(`${of}${why && `, kept for: ${why},`} is on the branch ${name}${where}. Your files are unchanged.`)
  output.say(`Look at it:     ${git} diff ${name}^ ${name}`)
  output.say(`Continue with:  ${go}`)
  sayAside({ output }, aside)
}

function sayAside({ output }: Pick<Context, 'output'>, folders: readonly string[]): void {
  if (folders.length === 0) return
  output.say('Git cannot snapshot nested repositories and devices. They are kept as files in:')
  for (const folder of folders) output.say(`  ${folder}`)
}
