import { contextFolders, isContextFile } from '../../domain/story/context-folder.ts'
import { type ContextFacts, contextText } from '../../domain/story/context-text.ts'
import type { ContextPlace } from '../../domain/story/story.ts'
import type { ContextFile } from '../../ports/rows.ts'
import { type RunnerReply, SandboxEnded, type SandboxSession } from '../../ports/sandbox.ts'
import { agentSpec } from '../lane/sandboxes.ts'
import type { StoryDependencies } from '../story/dependencies.ts'
import { isElsewhere } from '../story/workspace.ts'

export interface ContextInput extends Omit<ContextFacts, 'at' | 'data'> {
  readonly run: string
  readonly story: string
  readonly data: ContextFacts['data'] & Pick<Placing, 'slot'> & { readonly contextFiles: number }
  /** See `contextFolder`. */
  readonly folder: string
  readonly readOnlyPaths: readonly string[]
}

export interface WrittenContext {
  readonly file: ContextFile
  readonly place: ContextPlace
}

/**
 * Writes `context_<n>.md` into the story's context folder and points `context_latest.md` to it
 * (seed: coding-agent-workflow, section 3). If writing fails, the records still hold the text, and
 * the returned place says why.
 */
export async function writeContextFile(
  deps: StoryDependencies,
  input: ContextInput,
  signal: AbortSignal,
): Promise<WrittenContext> {
  const { run, story, milestone, data, folder, readOnlyPaths } = input
  const content = contextText({ ...input, at: deps.clock.now() })
  const file = { run, story, n: data.contextFiles + 1, milestone, content }
  // A story without a workspace gets the file with its next one.
  const problem = await placeContextFiles(deps, { files: [file], folder, slot: data.slot, readOnlyPaths }, signal)
  return { file, place: { folder, problem } }
}

interface Holding {
  readonly base: string
  readonly snapshot: { readonly sha: string } | null
}

/**
 * The first folder in which no written file would collide with the repository or with the change so
 * far.
 */
export async function contextFolder(
  { history }: Pick<StoryDependencies, 'history'>,
  { base, snapshot }: Holding,
): Promise<string> {
  const commits = [...new Set([base, snapshot?.sha ?? base])]
  for (const folder of contextFolders()) {
    const names = await Promise.all(commits.map((sha) => history.namesIn(sha, folder)))
    if (names.every((each) => each !== null && !each.some(isContextFile))) return folder
  }
  throw new Error('there are more context folders than a commit has names')
}

interface Placing {
  readonly files: readonly ContextFile[]
  readonly folder: string
  readonly slot: string | null
  readonly readOnlyPaths: readonly string[]
}

/** Time limit for writing the files, in milliseconds. */
const writeMs = 10_000

/**
 * Puts context files where the story's editor finds them; the last one becomes the newest. They are
 * written inside a sandbox, since the workspace is the agent's and may hold links. Returns the
 * error, or null.
 */
export async function placeContextFiles(
  deps: StoryDependencies,
  placing: Placing,
  signal: AbortSignal,
): Promise<string | null> {
  const { files, slot } = placing
  // A workspace on another host gets the files when it is next set up.
  if (files.length === 0 || slot === null || (await isElsewhere(deps, slot))) return null
  const late = AbortSignal.timeout(writeMs)
  try {
    return await place(deps, { ...placing, slot }, AbortSignal.any([signal, late]))
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) return 'writing it took too long'
    if (error instanceof SandboxEnded) return error.message
    throw error
  }
}

/** Uses the editor's open sandbox, or opens one. */
async function place(
  { sandbox, sandboxes, workTrees }: StoryDependencies,
  { files, folder, slot, readOnlyPaths }: Placing & { readonly slot: string },
  signal: AbortSignal,
): Promise<string | null> {
  const path = workTrees.path(slot)
  const open = await sandboxes.unused(path)
  const written = open && (await write(open, { files, folder }, signal).catch(nullIfEnded))
  if (written !== null) return problemOf(written, folder)
  const own = await sandbox.open(agentSpec({ folder: path, access: 'write', readOnlyPaths }), signal)
  if (!own.ok) return own.error.errorMessage
  try {
    return problemOf(await write(own.value, { files, folder }, signal), folder)
  } finally {
    await own.value.close()
  }
}

type WriteReply = RunnerReply<'place'>

async function write(
  session: SandboxSession,
  { files, folder }: Pick<Placing, 'files' | 'folder'>,
  signal: AbortSignal,
): Promise<WriteReply> {
  let last: WriteReply = { ok: true, value: {} }
  for (const { n, content } of files) {
    const name = `context_${String(n).padStart(3, '0')}.md`
    const base64 = Buffer.from(content).toString('base64')
    last = await session.request({ op: 'place', folder, name, base64, link: 'context_latest.md' }, signal)
    if (!last.ok) break
  }
  return last
}

function problemOf(written: WriteReply, folder: string): string | null {
  return written.ok ? null : `${folder} is not a writable folder`
}

function nullIfEnded(error: unknown): null {
  if (error instanceof SandboxEnded) return null
  throw error
}
