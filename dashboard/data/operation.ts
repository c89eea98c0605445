import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { type ActInput, type ActOutput, act, type OperationName } from './act.ts'
import { useNoOldFailure } from './connection.ts'

/** An operation of a person. Its effects arrive as events, so nothing is fetched again here. */
export const useOperation = <Name extends OperationName>(
  name: Name,
  options: Omit<UseMutationOptions<ActOutput<Name>, Error, ActInput<Name>>, 'mutationFn'> = {},
) => {
  const mutation = useMutation({ ...options, mutationFn: (input: ActInput<Name>) => act(name, input) })
  useNoOldFailure(mutation)
  return mutation
}
