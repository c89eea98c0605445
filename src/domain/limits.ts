import { agentsLimits } from './limits/agents-limits.ts'
import { ciLimits } from './limits/ci-limits.ts'
import { clientLimits } from './limits/client-limits.ts'
import { evaluationLimits } from './limits/evaluation-limits.ts'
import { forgeLimits } from './limits/forge-limits.ts'
import { gateLimits } from './limits/gate-limits.ts'
import { hubLimits } from './limits/hub-limits.ts'
import { modelsLimits } from './limits/models-limits.ts'
import { screenLimits } from './limits/screen-limits.ts'
import { stateLimits } from './limits/state-limits.ts'
import { toolsLimits } from './limits/tools-limits.ts'
import { workLimits } from './limits/work-limits.ts'

/** Every number that bounds the work. A comment names the config key where one changes it. */
export const limits = {
  ...workLimits,
  ...modelsLimits,
  ...toolsLimits,
  ...gateLimits,
  ...stateLimits,
  ...screenLimits,
  ...agentsLimits,
  ci: ciLimits,
  client: clientLimits,
  evaluation: evaluationLimits,
  forge: forgeLimits,
  hub: hubLimits,
} as const
