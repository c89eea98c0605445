import { type AttemptRecord, armName } from '../../domain/bench/attempt-record.ts'

/** One line of predictions in the format of SWE-bench. */
export function predictionLine({ task, ...how }: AttemptRecord, { models, patch }: Prediction): string {
  const name = `drydock-${armName(how)}-${models}`
  return JSON.stringify({ instance_id: task, model_name_or_path: name, model_patch: patch })
}

interface Prediction {
  readonly models: string
  readonly patch: string
}
