import { actRoutes } from '../../../api/act-routes.ts'
import { DrydockError } from '../../../domain/drydock-error.ts'
import { changeSetting as change } from '../../commands/change-setting.ts'
import { operation } from '../operation.ts'

export const changeSetting = operation(actRoutes.changeSetting, {
  async run({ drydock, door }, given) {
    if (door.hub !== null)
      throw new DrydockError('not_found', 'The settings of a hub cannot be changed from outside.', {
        todo: 'Change the files on its machine.',
      })
    return { own: [...(await change(drydock, given))] }
  },
})
