import type { actRoutes } from '../../api/act-routes.ts'
import type { InputOf } from '../../api/route.ts'
import type { WorkOptions } from '../work-options.ts'

/** Options of work in the form of a request. */
export type NamedOptions = Partial<
  Pick<
    InputOf<typeof actRoutes.startTask>,
    'target' | 'models' | 'budget_usd' | 'max_wait_sec' | 'allow_failing' | 'priority'
  >
>

/** Merges options, where those of a request win over those of the program. */
export function overNamed(base: WorkOptions, named: NamedOptions): WorkOptions {
  const { target, models = {}, budget_usd, max_wait_sec, allow_failing, priority } = named
  return {
    ...base,
    ...(target !== undefined && { target }),
    ...(budget_usd !== undefined && { budgetUsd: budget_usd }),
    ...(max_wait_sec !== undefined && { maxWait: max_wait_sec }),
    ...(allow_failing !== undefined && { allowFailing: allow_failing }),
    ...(priority !== undefined && { priority }),
    ...(models.default !== undefined && { model: models.default }),
    ...(models.architect !== undefined && { architectModel: models.architect }),
    ...(models.editor !== undefined && { editorModel: models.editor }),
    ...(models.scout !== undefined && { scoutModel: models.scout }),
  }
}

/** The models of the options in the form of a request; undefined if the options name none. */
export function modelsNamed(options: WorkOptions): NamedOptions['models'] {
  const { model, architectModel, editorModel, scoutModel } = options
  const named = {
    ...(model !== undefined && { default: model }),
    ...(architectModel !== undefined && { architect: architectModel }),
    ...(editorModel !== undefined && { editor: editorModel }),
    ...(scoutModel !== undefined && { scout: scoutModel }),
  }
  return Object.keys(named).length > 0 ? named : undefined
}
