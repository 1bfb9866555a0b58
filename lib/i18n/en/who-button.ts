/** English: the button in the header that says who one is. */
export const whoButton = {
  label: (name: string) => `Who you are: ${name}`,
  anonymous: 'anonymous',
  signIn: 'Sign in',
};
