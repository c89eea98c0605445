import { DrydockError } from '../../domain/drydock-error.ts'
import { limits } from '../../domain/limits.ts'
import type { Forge } from '../../ports/forge.ts'
import type { ReceiptReader } from '../../ports/receipts.ts'
import type { ForgeCalls } from '../../ports/store.ts'
import type { Drydock } from '../drydock.ts'
import type { WorkOptions } from '../work-options.ts'

/** What a watcher has done, or what stands in its way; for people and programs. */
export interface WatchEvent {
  readonly what: 'issue_taken' | 'comment' | 'answer' | 'change' | 'remark' | 'question' | 'problem' | 'recovered'
  /** A whole sentence. */
  readonly text: string
  readonly run?: string
  readonly number?: number
  readonly url?: string
  /** Of a problem. */
  readonly code?: string
  readonly todo?: string
}

/** What every part of one poll needs. */
export interface Watching {
  readonly drydock: Drydock
  readonly forge: Forge
  readonly calls: ForgeCalls
  readonly receipts: ReceiptReader
  /** Of the user's repository, as git names it. */
  readonly remote: string
  /** Issues with it become tasks, and those with `<label>:run` runs of a crew. */
  readonly label: string
  /** Of the Runs that are started. */
  readonly options: WorkOptions
  readonly say: (event: WatchEvent) => void
  /** Whether an account may write to the repository. Each is asked about once in a poll. */
  readonly mayWrite: (account: string) => Promise<boolean>
  /** Does a part of a poll; where the forge refuses only that, it is said, and the others go on. */
  readonly attempt: (about: string, work: () => Promise<void>) => Promise<void>
}

/** The beginning of the keys of all calls about a repository on a forge. */
export function placeOf({ name, project }: Pick<Forge, 'name' | 'project'>): string {
  return `${name}/${project}/`
}

interface WriterOptions {
  /** Until when nobody asks about an account again: many must not use up what may be asked. */
  readonly strangers: Map<string, number>
  /** In milliseconds. */
  readonly now: number
}

/** Strangers are nobody, and so are accounts that the forge no longer has. */
export function createMayWrite(forge: Forge, { strangers, now }: WriterOptions): Watching['mayWrite'] {
  const asked = new Map<string, Promise<boolean>>()
  const permissionOf = async (account: string) => {
    try {
      return await forge.permissionOf(account)
    } catch (error) {
      if (error instanceof DrydockError && error.code === 'forge_not_found') return 'none'
      throw error
    }
  }
  const ask = async (account: string) => {
    if (account === '' || (strangers.get(account) ?? 0) > now) return false
    const may = ['admin', 'write'].includes(await permissionOf(account))
    if (!may) strangers.set(account, now + limits.forge.slowMs)
    if (strangers.size > limits.forge.strangers) strangers.clear()
    return may
  }
  return (account) => {
    const answer = asked.get(account) ?? ask(account)
    asked.set(account, answer)
    return answer
  }
}
