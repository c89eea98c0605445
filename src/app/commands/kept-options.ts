import { resolve } from 'node:path'
import { splitModelNames } from '../../domain/model-name.ts'
import type { KeptOptions } from '../../domain/run/kept-options.ts'
import type { WorkOptions } from '../work-options.ts'

/** The options in a form that is valid wherever a later process starts. */
export function keptOptions(options: WorkOptions): KeptOptions {
  const { model, architectModel, editorModel, scoutModel, target, budgetUsd, maxWait, priority, allowFailing, config } =
    options
  return {
    ...(model !== undefined && { model: anywhere(model) }),
    ...(architectModel !== undefined && { architectModel: anywhere(architectModel) }),
    ...(editorModel !== undefined && { editorModel: anywhere(editorModel) }),
    ...(scoutModel !== undefined && { scoutModel: anywhere(scoutModel) }),
    ...(target !== undefined && { target }),
    ...(budgetUsd !== undefined && { budgetUsd }),
    ...(maxWait !== undefined && { maxWait }),
    ...(priority !== undefined && { priority }),
    ...(allowFailing !== undefined && { allowFailing }),
    ...(config !== undefined && { config: resolve(config) }),
  }
}

/** Makes the file of a recording absolute. */
function anywhere(models: string): string {
  const name = (model: string) =>
    model.startsWith('replay:') ? `replay:${resolve(model.slice('replay:'.length))}` : model
  return splitModelNames(models).map(name).join(',')
}

/**
 * Merges options, where those named now win over kept ones. A model for every role also replaces
 * the kept models of single roles.
 */
export function overKept(kept: KeptOptions, named: WorkOptions): WorkOptions {
  const { model, architectModel, editorModel, scoutModel, ...rest } = kept
  if (named.model !== undefined) return { ...rest, ...named }
  return { ...kept, ...named }
}
