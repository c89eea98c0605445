/** The folder in which reading tools show the other repositories of a Run, one folder for each. */
export const insideRepositories = '/repositories'
