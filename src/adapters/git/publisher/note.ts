import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { limits } from '../../../domain/limits.ts'
import { failed, type Git } from '../git.ts'
import { entriesOf } from '../history/contents.ts'
import type { Lock, OnSpawn } from '../lock.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { isFolder } from '../objects/tree-entries.ts'
import { writeObject } from '../objects/write-object.ts'
import { objectFormat } from '../revision.ts'
import { type HandOver, plainFetch } from './hand-over.ts'

export const notesRef = 'refs/notes/drydock'

interface Noting {
  readonly sha: string
  readonly text: string
  readonly at: Date
}

interface Places {
  readonly git: Git
  readonly objects: ReadObject
  readonly userGit: Git
  readonly handOver: HandOver
  readonly lock: Lock
  readonly repository: string
  readonly mirror: string
  /** The ref of the mirror for the notes of this repository. */
  readonly notes: string
}

/**
 * Implements Publisher.note. The note is made in the mirror on top of the notes of the user's
 * repository, and handed over like a branch.
 */
export async function note(places: Places, noting: Noting): Promise<void> {
  const { lock, mirror, repository, notes } = places
  await lock('notes', undefined, async (spawned) => {
    // We hold the notes lock, so a `.lock` file of the ref was left by a process that is gone.
    await rm(join(mirror, `${notes}.lock`), { force: true })
    for (let tries = 1; !(await noteOnce(places, noting, spawned)); tries += 1) {
      if (tries < limits.noteTries) continue
      throw new DrydockError('git_failed', `Another program keeps changing ${notesRef} of ${repository}.`, {
        todo: 'Find and stop the program that writes notes there, then run the same command again.',
      })
    }
  })
}

/** Returns false if somebody else has written a note in the meantime. */
async function noteOnce(
  { git, objects, userGit, handOver, repository, mirror, notes }: Places,
  { sha, text, at }: Noting,
  spawned: OnSpawn,
): Promise<boolean> {
  const own = { gitDir: mirror, spawned }
  const user = (...args: readonly string[]) =>
    userGit(['-c', 'core.hooksPath=/dev/null', ...args], { workTree: repository })
  const placeOf = async () => {
    const { stdout } = await user('for-each-ref', '--format=%(refname) %(objectname)', notesRef)
    const line = stdout
      .toString('latin1')
      .split('\n')
      .find((each) => each.startsWith(`${notesRef} `))
    return line?.slice(notesRef.length + 1) ?? null
  }

  const noted = async () => (await objects(notes, { maxBytes: 0 }))?.id ?? null
  const before = await placeOf()
  if (before !== null && (await noted()) !== before)
    await git([...plainFetch, '--update-shallow', repository, `+${before}:${notes}`], own)
  const written = { type: 'blob', content: Buffer.from(text), format: objectFormat(sha) } as const
  const blob = await writeObject(join(mirror, 'objects'), written)
  if ((await noteOf(objects, { notes, sha })) !== blob) {
    const date = `@${Math.floor(at.getTime() / 1_000)} +0000`
    const environment = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
    await git(['notes', `--ref=${notes}`, 'add', '--force', `--reuse-message=${blob}`, sha], { ...own, environment })
  }
  const after = await noted()
  if (after === null) throw failed(['notes'], `${notes} was not written`)
  if (after === before) return true
  await handOver([sha, after])
  try {
    await user(
      'update-ref',
      '--no-deref',
      '-m',
      'drydock: receipt',
      notesRef,
      after,
      before ?? '0'.repeat(after.length),
    )
    return true
  } catch (error) {
    if ((await placeOf()) === before) throw error
    return false
  }
}

/** The object of a commit's note; null if it has none. Git spreads many notes over folders. */
async function noteOf(
  objects: ReadObject,
  { notes, sha }: { readonly notes: string; readonly sha: string },
): Promise<string | null> {
  let folder = `${notes}^{tree}`
  for (let rest = sha; rest !== ''; rest = rest.slice(2)) {
    const entries = await entriesOf(objects, folder)
    const found = entries?.get(rest)
    if (found !== undefined) return found.id
    const below = entries?.get(rest.slice(0, 2))
    if (below === undefined || !isFolder(below.mode)) return null
    folder = below.id
  }
  return null
}
