import type { Skill, ToldFile } from '../guide/guide.ts'
import type { Agent } from '../lane/lane.ts'
import type { McpTool } from '../mcp/mcp-tool.ts'
import type { Assurance } from '../verification/assurance.ts'
import type { Budget } from './budget.ts'

/**
 * The effect of a write into the repository: it fails, or lands in a layer that is kept with the
 * verification.
 */
export type Writes = 'deny' | 'overlay'

export interface VerificationStep {
  readonly name: string
  readonly command: string
  readonly timeoutSec: number
  /** Relative to ARTIFACT_DIR. */
  readonly junit: string | null
  /** Names of the services that run beside it; without it, all of them. */
  readonly services?: readonly string[]
  /** As `RunConfig.writes`, which holds where this is left out. */
  readonly writes?: Writes
}

/** A program that runs beside each step, in the step's own sandbox. */
export interface Service {
  readonly name: string
  readonly command: string
  /** Ports of the loopback that it listens on. */
  readonly ports: readonly number[]
  /** When it is ready: a port accepts connections, or a command ends with 0. */
  readonly ready: { readonly ports: readonly number[] } | { readonly command: string }
  /** Variables of the service, and of the steps. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutSec: number
}

/**
 * Makes folders that the steps need and the repository does not hold, such as installed
 * dependencies.
 */
export interface PrepareStep {
  readonly name: string
  readonly command: string
  /** Paths of the repository whose content decides whether it must run again. */
  readonly inputs: readonly string[]
  /** Folders that it makes, from the root; none is inside another. */
  readonly outputs: readonly string[]
  readonly timeoutSec: number
  /**
   * Hosts that it may reach; `registry` for those of the machine's package-manager configuration.
   */
  readonly network: readonly string[]
}

/** The repository's advice to one role. */
export interface RoleGuide {
  /** From the root of the repository. */
  readonly name: string
  readonly text: string
  /** The file is longer. */
  readonly cut: boolean
}

/** Config `acceptance`: whose stories get tests that an architect writes and no editor sees. */
export const acceptanceUses = ['crew', 'off', 'always'] as const

export type AcceptanceUse = (typeof acceptanceUses)[number]

/**
 * The values of the configuration that a Run's work needs; plain JSON, stored with the Run, so that
 * they hold for all of it.
 */
export interface RunConfig {
  /** The file that it comes from, as errors and reports name it. */
  readonly source: string
  readonly toolTimeoutSec: number
  readonly planningIterations: number
  readonly codingIterations: number
  /**
   * Replies of an editor's lane without progress until it is stopped; missing in Runs that an older
   * Drydock has started.
   */
  readonly turnsWithoutProgress?: number
  /** Model requests of the architect: soft and hard. */
  readonly scoping: { readonly soft: number; readonly hard: number }
  readonly request: { readonly soft: number; readonly hard: number }
  readonly budget: Budget
  /** The user has named dollars; missing in Runs that an older Drydock has started. */
  readonly dollarsNamed?: boolean
  /** Rounds of one review on one story before a human is asked. */
  readonly reviewRounds: number
  readonly prepare: readonly PrepareStep[]
  readonly steps: readonly VerificationStep[]
  /** Missing in Runs that an older Drydock has started. */
  readonly services?: readonly Service[]
  /** The path of a further repository of a Run; left out for the Run's own. */
  readonly repository?: string
  /** Folder in which `prepare` and `steps` run, from the root; '' for the root itself. */
  readonly package: string
  /**
   * Ids of tests that may fail where they fail on the base commit, too; missing in Runs that an
   * older Drydock has started.
   */
  readonly allowFailing?: readonly string[]
  /**
   * Flags by which a step may rewrite what it checks; missing in Runs that an older Drydock has
   * started.
   */
  readonly allowUpdating?: readonly string[]
  /** What is tried beside the steps; missing in Runs that an older Drydock has started. */
  readonly assurance?: Assurance
  /**
   * Time for single hunks, as a multiple of the steps' own time; missing in Runs that an older
   * Drydock has started.
   */
  readonly assuranceBudget?: number
  /** Says which stories get tests that no editor sees; missing in Runs of an older Drydock. */
  readonly acceptance?: AcceptanceUse
  /** Whether these tests join the commit of their story; missing in Runs of an older Drydock. */
  readonly acceptanceFiles?: 'keep' | 'add'
  /** For steps that do not say it themselves. */
  readonly writes: Writes
  readonly sandbox: { readonly readOnlyPaths: readonly string[] }
  /**
   * What the user says to each role in every Run; missing in Runs that an older Drydock has
   * started, as is what follows.
   */
  readonly instructions?: Readonly<Partial<Record<Agent, string>>>
  /** What the base commit says to each role. */
  readonly roleGuides?: Readonly<Partial<Record<Agent, RoleGuide>>>
  /**
   * What became of the base commit's files for agents, and its skills; left out where there are
   * none.
   */
  readonly guides?: readonly ToldFile[]
  readonly skills?: readonly Skill[]
  /** Tools of the user's MCP servers as the user approved them; left out where there are none. */
  readonly mcp?: readonly McpTool[]
  /**
   * Where the repository asks for more editors at once than the user's own number allows; left out
   * where it does not.
   */
  readonly fewerCoders?: { readonly asked: number; readonly allowed: number }
}
