import { randomUUID } from 'node:crypto'
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { storyOfRef } from '../../../domain/run/kept-work.ts'
import { abortable } from '../abortable.ts'
import type { Git } from '../git.ts'
import { keepFirstPack } from '../history/first-pack.ts'
import { createMirrorWrites, type Mirror } from '../history/mirror-writes.ts'
import type { Layout } from '../layout.ts'
import type { Lock } from '../lock.ts'
import type { ReadObject } from '../objects/read-objects.ts'
import { objectFormat } from '../revision.ts'
import { unlessMissing } from '../unless-missing.ts'
import { removeLocks } from '../work-trees/move-work-tree.ts'
import type { HubRemote } from './hub-remote.ts'

/** A worker's copy of the hub's objects. Each object is fetched when it is first named. */
export interface HubMirror extends Mirror {
  /**
   * Fetches those of the objects that are missing here. Objects that the hub lacks too stay
   * missing, and texts that are not object ids are ignored. Concurrent callers share one fetch.
   */
  bring(ids: readonly (string | null | undefined)[], signal?: AbortSignal): Promise<void>
  /** Fetches a commit that a workspace starts from, together with the current tags. */
  bringWithTags(id: string, signal: AbortSignal): Promise<void>
  /** Fetches hidden refs of the hub into a separate folder of refs, and returns that folder. */
  bringHidden(under: string): Promise<string>
}

interface Parts {
  readonly layout: Layout
  readonly git: Git
  readonly objects: ReadObject
  readonly lock: Lock
  readonly remote: HubRemote
}

/** The most other names that are tried for a ref that is taken. */
const mostAttempts = 50

export function createHubMirror({ layout, git, objects, lock, remote }: Parts): HubMirror {
  const gitDir = layout.mirror
  /** Objects that are here, or being fetched. Failed fetches are removed. */
  const known = new Map<string, Promise<void>>()
  const tagged = new Map<string, Promise<void>>()
  const writes = createMirrorWrites({ layout, git, objects, lock, signing: null })

  const fetch = (refspecs: readonly string[], prune = false) =>
    lock('mirror', undefined, async (spawned) => {
      await removeLocks(gitDir)
      return remote.fetch(refspecs, { gitDir, spawned, prune, settings: await keepFirstPack(gitDir) })
    })

  async function missing(ids: readonly string[]): Promise<readonly string[]> {
    const input = ids.map((id) => `${id}\n`).join('')
    const { stdout } = await git(['cat-file', '--batch-check'], { gitDir, input })
    return stdout
      .toString('latin1')
      .split('\n')
      .flatMap((line) => (line.endsWith(' missing') ? [line.split(' ')[0] ?? ''] : []))
  }

  /** Returns those that the hub lacks too. */
  async function fetchThose(ids: readonly string[]): Promise<readonly string[]> {
    const absent = await missing(ids)
    if (absent.length === 0 || (await fetch(absent.map(kept)))) return []
    if (absent.length === 1) return absent
    // One missing id makes the fetch fail, so the others are fetched without it.
    const nowhere: string[] = []
    for (const id of absent) if (!(await fetch([kept(id)]))) nowhere.push(id)
    return nowhere
  }

  /** Ids that are not yet being fetched share one fetch. */
  function underWay(ids: readonly string[]): Promise<void>[] {
    const fresh = ids.filter((id) => !known.has(id))
    if (fresh.length > 0) {
      const forget = (those: readonly string[]) => {
        for (const id of those) known.delete(id)
      }
      // An object that the hub lacks now may arrive there later.
      const fetched = fetchThose(fresh).then(forget)
      for (const id of fresh) known.set(id, fetched)
      fetched.catch(() => forget(fresh))
    }
    return ids.flatMap((id) => known.get(id) ?? [])
  }

  async function push(ref: string, sha: string): Promise<void> {
    const replaces = ref.startsWith('refs/drydock/looks/')
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      // A worker that was given up may have used the name for another commit.
      const name = attempt === 1 ? ref : `${ref}-${attempt}`
      if ((await remote.push({ ref: name, sha, replaces }, { gitDir })) === 'there') return
    }
    throw new Error(`${ref} is taken ${mostAttempts} times`)
  }

  return {
    ...writes,

    initialize: () =>
      lock('mirror', undefined, async () => {
        if ((await unlessMissing(stat(gitDir))) !== null) return
        const [tip = ''] = await remote.branchTips()
        const fresh = join(layout.scratch, randomUUID())
        await git(['init', '--quiet', '--bare', '--template=', `--object-format=${objectFormat(tip)}`, fresh])
        await rename(fresh, gitDir)
      }),

    async bring(ids, signal) {
      const named = [...new Set(ids.filter((id) => id != null && isObjectId(id)))] as string[]
      await abortable(Promise.all(underWay(named)), signal)
    },

    async bringWithTags(id, signal) {
      const bringing = tagged.get(id) ?? fetch(['+refs/tags/*:refs/tags/*', kept(id)], false).then(() => undefined)
      tagged.set(id, bringing)
      bringing.catch(() => tagged.delete(id))
      await abortable(bringing, signal)
    },

    async bringHidden(under) {
      const place = under.replace(/^refs\/drydock\//, 'refs/hub/')
      await fetch([`+${under}*:${place}*`], true)
      return place
    },

    /** Pushes the ref to the hub first, so that a ref that exists here also exists there. */
    async keep(ref, sha) {
      if (storyOfRef(ref) !== null) await push(ref, sha)
      await writes.keep(ref, sha)
    },
  }
}

/** The refspec of the ref that keeps a fetched object from being pruned. */
function kept(id: string): string {
  return `+${id}:refs/user/commits/${id}`
}

function isObjectId(text: string): boolean {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text)
}
