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
  /** A path relative to ARTIFACT_DIR; null without a report. */
  readonly junit: string | null
  /** Names of the services that run beside the step; all of them if left out. */
  readonly services?: readonly string[]
  /** Overrides `RunConfig.writes` for the step. */
  readonly writes?: Writes
}

/** A program that runs beside each step, in the step's own sandbox. */
export interface Service {
  readonly name: string
  readonly command: string
  /** Loopback ports that the service listens on. */
  readonly ports: readonly number[]
  /** Condition for readiness: a port accepts connections, or a command exits with 0. */
  readonly ready: { readonly ports: readonly number[] } | { readonly command: string }
  /** Variables of the service, and of the steps. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutSec: number
}

/**
 * A step that makes folders which the steps need and the repository does not hold, such as
 * installed dependencies.
 */
export interface PrepareStep {
  readonly name: string
  readonly command: string
  /** Paths of the repository whose content decides if the step must run again. */
  readonly inputs: readonly string[]
  /** Folders that the step makes, from the root; none is inside another. */
  readonly outputs: readonly string[]
  readonly timeoutSec: number
  /**
   * Hosts that the step may reach; `registry` for those of the machine's package-manager
   * configuration.
   */
  readonly network: readonly string[]
}

/** The repository's advice to one role. */
export interface RoleGuide {
  /** A path from the root of the repository. */
  readonly name: string
  readonly text: string
  /** True if the file is longer than `text`. */
  readonly cut: boolean
}

/**
 * Config `acceptance`: selects the Runs whose stories get tests that an architect writes and no
 * editor sees.
 */
export const acceptanceUses = ['crew', 'off', 'always'] as const

export type AcceptanceUse = (typeof acceptanceUses)[number]

/**
 * The configuration values that a Run's work needs; plain JSON, stored with the Run, so that they
 * hold for its whole duration.
 */
export interface RunConfig {
  /** The configuration's file, as errors and reports name it. */
  readonly source: string
  readonly toolTimeoutSec: number
  readonly planningIterations: number
  readonly codingIterations: number
  /**
   * Replies of an editor's lane without progress before it is stopped; missing in Runs started by
   * an older Drydock.
   */
  readonly turnsWithoutProgress?: number
  /** Model requests of the architect: soft and hard. */
  readonly scoping: { readonly soft: number; readonly hard: number }
  readonly request: { readonly soft: number; readonly hard: number }
  readonly budget: Budget
  /** True if the user has set dollars; missing in Runs started by an older Drydock. */
  readonly dollarsNamed?: boolean
  /** Rounds of one review on one story before a human is asked. */
  readonly reviewRounds: number
  readonly prepare: readonly PrepareStep[]
  readonly steps: readonly VerificationStep[]
  /** Missing in Runs started by an older Drydock. */
  readonly services?: readonly Service[]
  /** The path of a further repository of a Run; left out for the Run's own. */
  readonly repository?: string
  /** Folder in which `prepare` and `steps` run, from the root; '' for the root itself. */
  readonly package: string
  /**
   * Ids of tests that may fail where they fail on the base commit, too; missing in Runs started by
   * an older Drydock.
   */
  readonly allowFailing?: readonly string[]
  /**
   * Flags by which a step may rewrite what it checks; missing in Runs started by an older Drydock.
   */
  readonly allowUpdating?: readonly string[]
  /** The checks in addition to the steps; missing in Runs started by an older Drydock. */
  readonly assurance?: Assurance
  /**
   * Time for single hunks, as a multiple of the steps' own time; missing in Runs started by an
   * older Drydock.
   */
  readonly assuranceBudget?: number
  /**
   * Selects the Runs whose stories get tests that no editor sees; missing in Runs of an older
   * Drydock.
   */
  readonly acceptance?: AcceptanceUse
  /** `add` if these tests join the commit of their story; missing in Runs of an older Drydock. */
  readonly acceptanceFiles?: 'keep' | 'add'
  /** Default for steps without a setting of their own. */
  readonly writes: Writes
  readonly sandbox: { readonly readOnlyPaths: readonly string[] }
  /**
   * The user's instructions to each role in every Run; missing, like all later fields, in Runs
   * started by an older Drydock.
   */
  readonly instructions?: Readonly<Partial<Record<Agent, string>>>
  /** The base commit's instructions to each role. */
  readonly roleGuides?: Readonly<Partial<Record<Agent, RoleGuide>>>
  /**
   * The base commit's files for agents with their use, and its skills; left out where there are
   * none.
   */
  readonly guides?: readonly ToldFile[]
  readonly skills?: readonly Skill[]
  /** Tools of the user's MCP servers, as approved; left out where there are none. */
  readonly mcp?: readonly McpTool[]
  /** Set if the repository asks for more editors at once than the user's own limit allows. */
  readonly fewerCoders?: { readonly asked: number; readonly allowed: number }
}
