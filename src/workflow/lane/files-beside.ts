import { insideRepositories } from '../../agents/tools/inside-repositories.ts'
import type { Tree } from '../../agents/tools/tool.ts'
import type { Lane } from '../../domain/lane/lane.ts'
import { repositoriesOf, repositoryOf } from '../../domain/run/repositories.ts'
import type { Files } from '../../ports/files.ts'
import type { MirrorReads } from '../../ports/history.ts'
import type { WorkflowDependencies } from '../dependencies.ts'
import { load, storyOf } from '../machines.ts'
import type { LaneContext } from './lane-context.ts'

type Contexts = Pick<LaneContext, 'readContext' | 'editContext'>

/**
 * In a Run over several repositories, a read whose path starts with another repository's path shows
 * the merged state of that repository. Other reads are unchanged.
 */
export async function withFilesBeside(
  deps: Pick<WorkflowDependencies, 'store'>,
  lane: Lane,
  { mirror, ...contexts }: Contexts & { readonly mirror: (signal: AbortSignal) => Promise<MirrorReads> },
): Promise<Contexts> {
  const tips = await tipsBeside(deps, lane)
  if (tips.size === 0) return contexts
  const treeWith = (files: (coder?: string) => Promise<Tree>, signal: AbortSignal) => async (coder?: string) => {
    const tree = await files(coder)
    if (!tree.ok) return tree
    const reads = await mirror(signal)
    const others = new Map([...tips].map(([name, tip]) => [name, reads.committed(tip)]))
    return { ok: true, files: filesWith(tree.files, others) } as const
  }
  return {
    readContext: async (signal) => {
      const context = await contexts.readContext(signal)
      return { ...context, files: treeWith(context.files, signal) }
    },
    editContext: async (signal) => {
      const context = await contexts.editContext(signal)
      return { ...context, files: treeWith(context.files, signal) }
    },
  }
}

/** The merged commits of the Run's other repositories, by name. */
async function tipsBeside({ store }: Pick<WorkflowDependencies, 'store'>, lane: Lane) {
  const run = await load(store, 'run', lane.run)
  const { base, tip, repositories = [] } = run.data
  const story = repositories.length === 0 ? null : await storyOf(store, lane)
  const [own, ...others] = repositoriesOf(run)
  const at = story === null ? own?.name : (repositoryOf(story) ?? own?.name)
  const ownTip = tip ?? base
  const all = [
    ...(own !== undefined && ownTip !== null ? [[own.name, ownTip] as const] : []),
    ...others.flatMap(({ name }) =>
      repositories.flatMap((each) => (each.name === name ? [[name, each.tip] as const] : [])),
    ),
  ]
  return new Map(repositories.length === 0 ? [] : all.filter(([name]) => name !== at))
}

/** Combines the files of a tree with those of other repositories, each below its path. */
function filesWith(own: Files, others: ReadonlyMap<string, Files>): Files {
  const find = (path: string) => {
    if (path !== insideRepositories && !path.startsWith(`${insideRepositories}/`)) return null
    const [name = '', ...rest] = path.slice(insideRepositories.length + 1).split('/')
    return { top: `${insideRepositories}/${name}`, files: others.get(name), path: rest.join('/') }
  }
  const unknown = {
    ok: false,
    code: 'not_found',
    message: `the repositories to read are ${[...others.keys()].map((name) => `${insideRepositories}/${name}`).join(', ')}`,
  } as const
  return {
    async read(path, maxBytes, signal) {
      const found = find(path)
      if (found === null) return own.read(path, maxBytes, signal)
      if (found.files === undefined) return unknown
      const reply = await found.files.read(found.path, maxBytes, signal)
      return reply.ok ? { ok: true, value: { ...reply.value, path: `${found.top}/${reply.value.path}` } } : reply
    },
    async list(pattern, max, signal) {
      const found = find(pattern)
      if (found === null) return own.list(pattern, max, signal)
      if (found.files === undefined) return unknown
      const reply = await found.files.list(found.path === '' ? '**' : found.path, max, signal)
      if (!reply.ok) return reply
      return { ok: true, value: { ...reply.value, paths: reply.value.paths.map((path) => `${found.top}/${path}`) } }
    },
    async search(wanted, signal) {
      const found = wanted.glob === null ? null : find(wanted.glob)
      if (found === null) return own.search(wanted, signal)
      if (found.files === undefined) return unknown
      const reply = await found.files.search({ ...wanted, glob: found.path === '' ? null : found.path }, signal)
      if (!reply.ok) return reply
      const matches = reply.value.matches.map((match) => ({ ...match, path: `${found.top}/${match.path}` }))
      return { ok: true, value: { ...reply.value, matches } }
    },
  }
}
