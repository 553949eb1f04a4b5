import type {
  IAuthenticateGeneric,
  ICredentialTestRequest,
  ICredentialType,
  Icon,
  INodeProperties,
} from "n8n-workflow";

export class AkimboApi implements ICredentialType {
  name = "akimboApi";

  displayName = "Akimbo API";

  icon: Icon = { light: "file:../icons/akimbo.svg", dark: "file:../icons/akimbo.dark.svg" };

  documentationUrl = "https://www.npmjs.com/package/n8n-nodes-akimbo#credentials";

  properties: INodeProperties[] = [
    {
      displayName: "Base URL",
      name: "baseUrl",
      type: "string",
      default: "",
      required: true,
      placeholder: "e.g. https://akimbo.example.com",
      description: "Address of your instance, without a path",
    },
    {
      displayName: "Token",
      name: "token",
      type: "string",
      typeOptions: { password: true },
      default: "",
      required: true,
      placeholder: "kmb_…",
      description: "An API token, from the page Tokens of your instance",
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { "x-api-key": "={{ $credentials.token.trim() }}" } },
  };

  test: ICredentialTestRequest = {
    request: {
      baseURL:
        '={{ $credentials.baseUrl.trim().replace(/\\/+$/, "").replace(/\\/api\\/v1$/, "") }}',
      url: "/api/v1/accounts",
    },
  };
}
