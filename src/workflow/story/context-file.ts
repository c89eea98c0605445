import { contextFolders, isContextFile } from '../../domain/story/context-folder.ts'
import { type ContextFacts, contextText } from '../../domain/story/context-text.ts'
import type { ContextPlace } from '../../domain/story/story.ts'
import type { ContextFile } from '../../ports/rows.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { agentSpec } from '../lane/sandboxes.ts'
import { isElsewhere } from './workspace.ts'

export interface ContextInput extends Omit<ContextFacts, 'at' | 'data'> {
  readonly run: string
  readonly story: string
  readonly data: ContextFacts['data'] & Pick<Placing, 'slot'> & { readonly contextFiles: number }
  /** See `contextFolder`. */
  readonly folder: string
  readonly readOnlyPaths: readonly string[]
}

type Deps = Pick<WorkflowDependencies, 'sandbox' | 'history' | 'workTrees' | 'clock' | 'store' | 'engine'>

export interface WrittenContext {
  readonly file: ContextFile
  readonly place: ContextPlace
}

/**
 * Writes `context_<n>.md` into the story's context folder and points `context_latest.md` to it
 * (seed: coding-agent-workflow, section 3). Where that fails the records still have it, and the
 * place says why.
 */
export async function writeContextFile(deps: Deps, input: ContextInput, signal: AbortSignal): Promise<WrittenContext> {
  const { run, story, milestone, data, folder, readOnlyPaths } = input
  const content = contextText({ ...input, at: deps.clock.now() })
  const file = { run, story, n: data.contextFiles + 1, milestone, content }
  // A story whose workspace was given up gets it with the next one.
  const problem = await placeContextFile(deps, { file, folder, slot: data.slot, readOnlyPaths }, signal)
  return { file, place: { folder, problem } }
}

interface Holding {
  readonly base: string
  readonly snapshot: { readonly sha: string } | null
}

/**
 * The first folder in which nothing that would be written is part of the repository, or of the
 * change so far.
 */
export async function contextFolder({ history }: Pick<Deps, 'history'>, { base, snapshot }: Holding): Promise<string> {
  const commits = [...new Set([base, snapshot?.sha ?? base])]
  for (const folder of contextFolders()) {
    const names = await Promise.all(commits.map((sha) => history.namesIn(sha, folder)))
    if (names.every((each) => each !== null && !each.some(isContextFile))) return folder
  }
  throw new Error('there are more context folders than a commit has names')
}

interface Placing {
  readonly file: ContextFile
  readonly folder: string
  readonly slot: string | null
  readonly readOnlyPaths: readonly string[]
}

/**
 * Puts a context file where its story's editor finds it, as the newest. The write happens inside a
 * sandbox, since the workspace is the agent's and may hold links. Returns what went wrong, else
 * null.
 */
export async function placeContextFile(
  deps: Deps,
  { file, folder, slot, readOnlyPaths }: Placing,
  signal: AbortSignal,
): Promise<string | null> {
  // One that lies on another host gets it when it is set up next.
  if (slot === null || (await isElsewhere(deps, slot))) return null
  const name = `context_${String(file.n).padStart(3, '0')}.md`
  const spec = agentSpec({ folder: deps.workTrees.path(slot), access: 'write', readOnlyPaths })
  const command = [
    `[ ! -L ${folder} ] && mkdir -p ${folder} && rm -f ${folder}/${name} && cat > ${folder}/${name}`,
    `ln -sfn ${name} ${folder}/context_latest.md`,
  ].join(' && ')
  const wrote = await deps.sandbox.exec(spec, { command, timeoutMs: 10_000, stdin: file.content }, signal)
  if (!wrote.ok) return wrote.error.errorMessage
  if (wrote.value.exitCode === 0) return null
  return wrote.value.timedOut ? 'writing it took too long' : `${folder} is not a writable folder`
}
