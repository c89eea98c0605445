import { filledLines } from '../../../domain/text.ts'
import type { ListedCommits, NotedText } from '../../../ports/receipts.ts'
import { userEnvironment } from '../environment.ts'
import { createGit, type Git } from '../git.ts'
import { notesRef } from '../publisher/note.ts'
import { findRepository } from './find-repository.ts'
import { remoteOf } from './remote-of.ts'

/**
 * The commits of a repository that have a note, and those of `also` that exist here, newest first.
 * Nothing is fetched.
 */
export async function notedCommits(
  directory: string,
  also: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<ListedCommits> {
  const { run } = await open(directory, environment)
  const place = await run(['for-each-ref', '--format=%(objectname) %(refname)', notesRef])
  const notes = lines(place.stdout).find((line) => line.endsWith(` ${notesRef}`))
  const listed = notes === undefined ? [] : lines((await run(['notes', `--ref=${notesRef}`, 'list'])).stdout)
  const blobs = new Map(listed.map((line) => [line.split(' ')[1] ?? '', line.split(' ')[0] ?? '']))
  const wanted = [...new Set([...blobs.keys(), ...also])].filter((id) => /^[0-9a-f]{40,64}$/.test(id))
  const kinds = await run(['cat-file', '--batch-check=%(objectname) %(objecttype)'], wanted.join('\n'))
  const here = lines(kinds.stdout).flatMap((line) => (line.endsWith(' commit') ? [line.split(' ')[0] ?? ''] : []))
  const isHere = new Set(here)
  const elsewhere = [...blobs.keys()].filter((id) => !isHere.has(id)).length
  const known = { notes: notes?.split(' ')[0] ?? null, elsewhere, remote: await remoteOf(run) }
  if (here.length === 0) return { ...known, commits: [] }
  // A plumbing command, whose output no setting of the user changes.
  const format = '--format=%H%x00%T%x00%cI%x00%s'
  const sorted = ['--no-walk=sorted', '--no-commit-header', '--encoding=UTF-8', format]
  const { stdout } = await run(['rev-list', ...sorted, '--stdin'], here.join('\n'))
  const commits = lines(stdout).map((line) => {
    const [commit = '', tree = '', at = '', subject = ''] = line.split('\0')
    return { commit, tree, at, subject, note: blobs.get(commit) ?? null }
  })
  return { ...known, commits }
}

/** The texts of these notes, without those that are longer than `maxBytes` or not files. */
export async function notedTexts(
  directory: string,
  { notes, maxBytes }: { readonly notes: readonly string[]; readonly maxBytes: number },
  environment: NodeJS.ProcessEnv,
): Promise<NotedText> {
  const { run } = await open(directory, environment)
  const texts = new Map<string, string>()
  if (notes.length === 0) return texts
  const sizes = await run(['cat-file', '--batch-check=%(objectname) %(objecttype) %(objectsize)'], notes.join('\n'))
  let asked: string[] = []
  let size = 0
  const read = async () => {
    const { stdout } = await run(['cat-file', '--batch'], asked.join('\n'))
    for (const [id, text] of objectsIn(stdout)) texts.set(id, text)
    asked = []
    size = 0
  }
  for (const line of lines(sizes.stdout)) {
    const [id = '', type, bytes] = line.split(' ')
    if (type !== 'blob' || Number(bytes) > maxBytes) continue
    if (size + Number(bytes) > maxBytes * 8) await read()
    asked.push(id)
    size += Number(bytes)
  }
  if (asked.length > 0) await read()
  return texts
}

async function open(directory: string, environment: NodeJS.ProcessEnv) {
  const repository = await findRepository(directory, environment)
  const git: Git = createGit({ ...userEnvironment(environment), GIT_NO_LAZY_FETCH: '1' })
  const run = (args: readonly string[], input?: string | readonly number[]) =>
    git(args, {
      workTree: repository,
      ...(typeof input === 'string' ? { input: `${input}\n` } : input && { exits: input }),
    })
  return { run }
}

/**
 * Parses the output of `cat-file --batch`: for each object a line with its size, then its content.
 */
function* objectsIn(output: Buffer): Generator<readonly [string, string]> {
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0x0a, at)
    const [id = '', , size = '0'] = output.toString('latin1', at, end).split(' ')
    const from = end + 1
    const to = from + Number(size)
    yield [id, output.toString('utf8', from, to)]
    at = to + 1
  }
}

function lines(output: Buffer): readonly string[] {
  return filledLines(output.toString('utf8'))
}
