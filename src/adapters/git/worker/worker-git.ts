import type { History } from '../../../ports/history.ts'
import type { WorkTrees } from '../../../ports/work-trees.ts'
import { ownedEnvironment, wayEnvironment } from '../environment.ts'
import { createGit, createTalkingGit } from '../git.ts'
import { contents } from '../history/contents.ts'
import { gitlinks } from '../history/gitlinks.ts'
import { hiddenBelow } from '../history/hidden-refs.ts'
import { createHistory } from '../history/history.ts'
import { layoutOf } from '../layout.ts'
import { createLock } from '../lock.ts'
import { keptReader } from '../objects/kept-reader.ts'
import { type CommittedReads, createCommittedReads } from '../user-repository/committed-reads.ts'
import { createWorkTrees } from '../work-trees/work-trees.ts'
import { bringingHistory, bringingReads, bringingWorkTrees } from './bring-first.ts'
import { createHubMirror } from './hub-mirror.ts'
import { type ControlPlace, controlSettings, createHubRemote } from './hub-remote.ts'

export interface WorkerGitOptions {
  readonly control: ControlPlace
  /** Absolute path of the worker's own state directory. */
  readonly state: string
  /** Drydock's environment, with git's PATH and the proxy settings for the hub. */
  readonly environment: NodeJS.ProcessEnv
  /** Aborted when the worker ends, so that no call waits for the hub any longer. */
  readonly closing: AbortSignal
}

/**
 * Git of a worker. A worker has no user's repository: branches, notes, signatures and remotes
 * belong to the hub. Every commit that is named and missing here is fetched from the hub first. A
 * story's hidden ref is pushed to the hub before the call that makes it returns, so a database row
 * may name it.
 */
export interface WorkerGit {
  /** `hidden` lists the hub's commits; `forget` and `tidy` affect only this host. */
  readonly history: History
  readonly workTrees: WorkTrees
  /** Reads of the commits that work starts from, in place of the user's repository. */
  readonly committed: CommittedReads
}

/**
 * Throws DrydockError `hub_unreachable` or `hub_refused`, in addition to the errors of the ports.
 */
export function createWorkerGit({ control, state, environment, closing }: WorkerGitOptions): WorkerGit {
  const layout = layoutOf(state)
  const own = ownedEnvironment(environment, { config: layout.config, home: layout.scratch })
  const git = createGit(own)
  const talking = createTalkingGit({ ...own, ...wayEnvironment(environment), ...controlSettings(control) })
  const lock = createLock(layout.locks)
  const objects = keptReader({ environment: own, gitDir: layout.mirror })
  const remote = createHubRemote(talking, { ...control, closing })
  const mirror = createHubMirror({ layout, git, objects, lock, remote })
  const parts = { layout, git, objects, lock, mirror }
  const history: History = {
    ...createHistory(parts),
    async hidden(under) {
      const place = await mirror.bringHidden(under)
      const found = await hiddenBelow(git, layout.mirror, place)
      return found.map((each) => ({ ...each, ref: under + each.ref.slice(place.length) }))
    },
  }
  const submodules: WorkTrees['submodules'] = async (sha, signal) => {
    const declared = await contents(objects, { sha, paths: ['.gitmodules'] })
    if (declared['.gitmodules'] === null) return []
    const links = await gitlinks(git, { gitDir: layout.mirror, signal }, sha)
    return links.map((link) => ({ ...link, folder: null, reason: notHere(link.path) }))
  }
  return {
    history: bringingHistory(history, mirror.bring),
    workTrees: bringingWorkTrees(createWorkTrees(parts, submodules), mirror),
    committed: bringingReads(createCommittedReads({ git, mirror: layout.mirror, objects }), mirror.bring),
  }
}

function notHere(path: string): string {
  return `The submodule ${JSON.stringify(path)} is on the machine of the hub alone: workers have no files of submodules.`
}
