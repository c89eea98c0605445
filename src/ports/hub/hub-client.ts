import type { AcceptanceTests } from '../../domain/acceptance/acceptance-tests.ts'
import type { Command } from '../../domain/command.ts'
import type { Role } from '../../domain/hub/role.ts'
import type { RunRequest } from '../../domain/run/run.ts'
import type { Connecting, OwnerConnection } from '../owner.ts'
import type { PushTarget } from '../remotes.ts'
import type { StateReader } from '../store.ts'

/** What a hub says of itself, of a token, and of its repository. */
export interface HubFacts {
  readonly version: string
  readonly protocol: number
  /** Of the token. */
  readonly name: string
  readonly role: Role
  /** The name of the repository's folder. */
  readonly repository: string
  /** The commit that runs start from where none is named; null where there is none. */
  readonly head: string | null
  /** Whether the asked commit is there. */
  readonly known: boolean
  readonly roots: readonly string[]
  /** The public key (PEM) of its receipts; null before the first. */
  readonly receipt_key: string | null
}

/** A Run that a hub is to start. What is left out is as the hub is configured. */
export interface HubStart {
  readonly request: RunRequest
  /** The whole id of the commit that it starts from, which the hub has. */
  readonly base: string
  /** Names by role; `default` for all of them. */
  readonly models: { readonly [Role in 'default' | 'architect' | 'editor' | 'scout']?: string }
  readonly budgetUsd?: number
  readonly maxWaitSec?: number
  readonly allowFailing?: readonly string[]
  /** Tests that decide about it, and that none of its agents sees. */
  readonly acceptance?: AcceptanceTests | undefined
  /** Starts over where the same spec has a Run. */
  readonly again: boolean
  readonly uncommitted?: { readonly count: number; readonly files: readonly string[] }
}

/** A change as a hub shows it. */
export interface HubDiff {
  readonly base: string | null
  readonly sha: string | null
  readonly diff: string
  readonly truncated: boolean
}

/** The end of a log; `tail` where its file is gone. `skipped` is what comes before. */
export interface HubLog {
  readonly text: string
  readonly from: 'log' | 'tail'
  readonly skipped: { readonly bytes: number; readonly lines: number } | null
}

export type ConnectHub = (to: { readonly url: string; readonly token: string }) => HubClient

/** What somebody who follows wants of the connection meanwhile. */
export interface HubFollower {
  /** Told when the hub cannot be reached, and when it is again. */
  readonly note: (text: string) => void
  /** From then on nothing is tried again. */
  readonly stop: AbortSignal
}

/**
 * A hub, as a client with a token reaches it. Once it has answered, what cannot be sent is tried
 * again: for `limits.client.patienceMs`, or for as long as somebody follows. Whatever acts has a
 * key, so that it happens once. All reject with DrydockError: those of the hub, or
 * `hub_unreachable`, `not_signed_in`.
 */
export interface HubClient {
  /** Its origin. */
  readonly url: string
  /** `commit` is one that the client would start from. */
  facts(commit: string | null): Promise<HubFacts>
  /** Reads the state. Queries that are asked together are sent together. */
  openRecords(): StateReader
  /** Gives a command about a Run, and returns the key that `commandApplied` knows it by. */
  submit(key: string, command: Command): Promise<string>
  /** Returns the Run's id. */
  start(start: HubStart): Promise<string>
  /** Follows what happens; null while no process works on the state. */
  connect(on: Connecting): Promise<OwnerConnection | null>
  /** The change of a Run, or of one of its stories. */
  diff(run: string, story: string | null): Promise<HubDiff>
  /** The log of a verification, or its end. */
  log(runId: string): Promise<HubLog>
  /** The files of a verification. */
  files(runId: string): Promise<readonly { readonly path: string; readonly bytes: number }[]>
  /** The content of one of them. What breaks off on its way rejects. */
  file(runId: string, path: string): Promise<AsyncIterable<Uint8Array>>
  /** Where git finds its commits. */
  repository(): PushTarget
  /** The text of the receipt of a commit; null where it has none. */
  receipt(commit: string): Promise<string | null>
  /** Until the returned function is called. */
  followedBy(follower: HubFollower): () => void
}
