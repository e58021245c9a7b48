"""What several tests share: boards, an independent model of the rules, games of both."""
