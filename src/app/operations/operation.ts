import type { InputOf, OutputOf, Route } from '../../api/route.ts'
import type { Command } from '../../domain/command.ts'
import type { DrydockError } from '../../domain/drydock-error.ts'
import type { Role } from '../../domain/hub/role.ts'
import type { Run } from '../../domain/run/run.ts'
import type { ReceiptReader } from '../../ports/receipts.ts'
import type { Drydock } from '../drydock.ts'
import type { WorkOptions } from '../work-options.ts'
import type { Door } from './doors.ts'
import type { HandedOver } from './hand-over.ts'

/** For whom something is done. */
export interface Asker {
  /** Name of the hub's token or person; null for the user of this machine. */
  readonly by: string | null
  readonly role: Role
  /** The same key again is the same command; null without one. */
  readonly key: string | null
}

/** A command as it was stored, and its fate. */
export interface StoredCommand {
  readonly key: string
  readonly handed: HandedOver
}

/** The means of an operation that acts. */
export interface Acting extends Omit<Asker, 'key'> {
  /** Commands that it stores say who has given them. */
  readonly drydock: Drydock
  /** The options that the program was started with. */
  readonly options: WorkOptions
  readonly receipts: () => Promise<ReceiptReader>
  readonly door: Door
  /** Stores a command, and sees the owner apply it where there is one. */
  give(command: Command & { readonly run: string }, key?: string): Promise<CommandAnswer>
}

/** The answer of an operation that gives a command. */
export interface CommandAnswer {
  readonly run: string
  readonly handed: HandedOver
  /** The key of the stored command. */
  readonly command: string
}

/** Acts on a hub itself, for its audit. */
export type AuditedAct =
  | { readonly what: 'token_added'; readonly token: string; readonly role: string }
  | { readonly what: 'token_revoked'; readonly token: string }
  | { readonly what: 'worker_drained'; readonly worker: string }

/** Something that a person can do: its shape, its rule, and what it does. */
export interface Operation<Of extends Route> {
  readonly shape: Of
  /** Why a Run does not accept it in its present state; null where it does. */
  readonly may?: (run: Run) => DrydockError | null
  /** DrydockError where it is refused. */
  readonly run: (acting: Acting, input: InputOf<Of>) => Promise<OutputOf<Of>>
  /**
   * Fields to add to the answer when the request of an operation that gives one command comes
   * again. DrydockError if the command came to nothing.
   */
  readonly again?: (acting: Acting, command: Command, stored: StoredCommand) => Promise<object>
  /** The answer holds a secret for who asks: nothing is taken out of it. */
  readonly isSecret?: true
  /** The audit entry of a hub once the operation is done. */
  readonly audited?: (input: InputOf<Of>, answer: OutputOf<Of>) => AuditedAct
}

/** Ties the input and the answer to the shape. */
export function operation<const Of extends Route>(shape: Of, does: Omit<Operation<Of>, 'shape'>): Operation<Of> {
  return { shape, ...does }
}

/** An operation that gives one command, which is given once however often its request comes. */
export function command<const Of extends Route>(shape: Of, does: Omit<Operation<Of>, 'shape'>): Operation<Of> {
  return { shape, again: async () => ({}), ...does }
}
