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

/** A worker's copy of what the hub keeps. Each object comes when it is first named. */
export interface HubMirror extends Mirror {
  /**
   * Fetches those of the objects that are not here. What the hub does not have either stays away,
   * and what is no id of an object is left alone. Callers who name the same share one fetch.
   */
  bring(ids: readonly (string | null | undefined)[], signal?: AbortSignal): Promise<void>
  /** The same for a commit that a workspace starts from, with the tags as they are now. */
  bringWithTags(id: string, signal: AbortSignal): Promise<void>
  /** Fetches hidden refs of the hub into a folder of their own. Returns the folder. */
  bringHidden(under: string): Promise<string>
}

interface Parts {
  readonly layout: Layout
  readonly git: Git
  readonly objects: ReadObject
  readonly lock: Lock
  readonly remote: HubRemote
}

/** What a ref that is taken is tried under instead. */
const mostAttempts = 50

export function createHubMirror({ layout, git, objects, lock, remote }: Parts): HubMirror {
  const gitDir = layout.mirror
  /** What is here, or on its way. A fetch that failed is forgotten. */
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

  /** Returns those that the hub does not have either. */
  async function fetchThose(ids: readonly string[]): Promise<readonly string[]> {
    const absent = await missing(ids)
    if (absent.length === 0 || (await fetch(absent.map(kept)))) return []
    if (absent.length === 1) return absent
    // The others are not to suffer.
    const nowhere: string[] = []
    for (const id of absent) if (!(await fetch([kept(id)]))) nowhere.push(id)
    return nowhere
  }

  /** Those who are not under way yet go together. */
  function underWay(ids: readonly string[]): Promise<void>[] {
    const fresh = ids.filter((id) => !known.has(id))
    if (fresh.length > 0) {
      const forget = (those: readonly string[]) => {
        for (const id of those) known.delete(id)
      }
      // What was not there may come later.
      const fetched = fetchThose(fresh).then(forget)
      for (const id of fresh) known.set(id, fetched)
      fetched.catch(() => forget(fresh))
    }
    return ids.flatMap((id) => known.get(id) ?? [])
  }

  async function push(ref: string, sha: string): Promise<void> {
    const replaces = ref.startsWith('refs/drydock/looks/')
    for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
      // One who was given up may have left the name to another commit.
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

    /** The hub has it first: whoever finds the ref here knows that it is there. */
    async keep(ref, sha) {
      if (storyOfRef(ref) !== null) await push(ref, sha)
      await writes.keep(ref, sha)
    },
  }
}

/** Where an object that was fetched is kept from being tidied away. */
function kept(id: string): string {
  return `+${id}:refs/user/commits/${id}`
}

function isObjectId(text: string): boolean {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text)
}
