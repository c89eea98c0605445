import type { GateDependencies } from '../gate/dependencies.ts'
import type { AgentDependencies } from './editor/agent/dependencies.ts'
import type { LandingDependencies } from './landing/dependencies.ts'
import type { ConversationDependencies } from './lane/dependencies.ts'
import type { NoticeDependencies } from './notification/dependencies.ts'
import type { RepositoryDependencies } from './repositories.ts'
import type { StartDependencies } from './run/dependencies.ts'
import type { ScheduleDependencies } from './schedule/dependencies.ts'
import type { SharingDependencies } from './stored/dependencies.ts'
import type { VerificationDependencies } from './verification/dependencies.ts'

/**
 * All parts of the workflow, as the sum of what its folders need; each is an argument, so that
 * another adapter needs no change here.
 */
export interface WorkflowDependencies
  extends GateDependencies,
    ConversationDependencies,
    AgentDependencies,
    VerificationDependencies,
    StartDependencies,
    RepositoryDependencies,
    ScheduleDependencies,
    LandingDependencies,
    NoticeDependencies,
    SharingDependencies {}
